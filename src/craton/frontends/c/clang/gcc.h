/* Words of gcc that clang does not know, for texts that gcc preprocessed. Included before every file. */
#define __malloc__(...) __malloc__ /* attribute: (deallocator, position) */
typedef float _Float32;
typedef double _Float32x;
typedef double _Float64;
typedef long double _Float64x;
typedef __float128 _Float128;
