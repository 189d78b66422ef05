/* Atomic operations of compilers, for programs of one thread: read before anything else. The order of memory is
   evaluated, and means nothing. */
#ifndef _CRATON_ATOMICS_H
#define _CRATON_ATOMICS_H
#define __CRATON_ORDER(...) ((void)(__VA_ARGS__))
/* Compilers add bytes to pointers, not elements: refused. */
#define __CRATON_INTEGER(p) ((void)sizeof(char[__builtin_classify_type(*(p)) == 5 ? -1 : 1]))
/* The type of the value that an l-value has: neither atomic nor const. */
#define __CRATON_VALUE(x) __typeof__(((void)0, x))
#define __CRATON_OLD(p, op, v) \
    ({ __typeof__(p) __craton_p = (p); __CRATON_VALUE(*__craton_p) __craton_o = *__craton_p; \
       *__craton_p = (__CRATON_VALUE(*__craton_p))(__craton_o op(v)); __craton_o; })
#define __CRATON_NEW(p, op, v) \
    ({ __typeof__(p) __craton_p = (p); *__craton_p = (__CRATON_VALUE(*__craton_p))(*__craton_p op(v)); (void)0, *__craton_p; })
#define __CRATON_OLD_NAND(p, v) \
    ({ __typeof__(p) __craton_p = (p); __CRATON_VALUE(*__craton_p) __craton_o = *__craton_p; \
       *__craton_p = (__CRATON_VALUE(*__craton_p))~(__craton_o & (v)); __craton_o; })
#define __CRATON_NEW_NAND(p, v) \
    ({ __typeof__(p) __craton_p = (p); *__craton_p = (__CRATON_VALUE(*__craton_p))~(*__craton_p & (v)); (void)0, *__craton_p; })
#define __CRATON_SWAP(p, v) \
    ({ __typeof__(p) __craton_p = (p); __CRATON_VALUE(*__craton_p) __craton_v = (v), __craton_o = *__craton_p; \
       *__craton_p = __craton_v; __craton_o; })
#define __CRATON_CAS(p, e, v) \
    ({ __typeof__(p) __craton_p = (p); __typeof__(e) __craton_e = (e); __CRATON_VALUE(*__craton_p) __craton_v = (v); \
       int __craton_r = *__craton_p == *__craton_e; \
       if (__craton_r) *__craton_p = __craton_v; else *__craton_e = *__craton_p; (_Bool)__craton_r; })

#define __atomic_load_n(p, o) ({ __CRATON_ORDER(o); (void)0, *(p); })
#define __atomic_load(p, r, o) ({ __CRATON_ORDER(o); *(r) = *(p); (void)0; })
#define __atomic_store_n(p, v, o) ({ __CRATON_ORDER(o); *(p) = (v); (void)0; })
#define __atomic_store(p, v, o) ({ __CRATON_ORDER(o); *(p) = *(v); (void)0; })
#define __atomic_exchange_n(p, v, o) ({ __CRATON_ORDER(o); __CRATON_SWAP(p, v); })
#define __atomic_exchange(p, v, r, o) ({ __CRATON_ORDER(o); *(r) = __CRATON_SWAP(p, *(v)); (void)0; })
#define __atomic_compare_exchange_n(p, e, v, w, s, f) ({ __CRATON_ORDER(w, s, f); __CRATON_CAS(p, e, v); })
#define __atomic_compare_exchange(p, e, v, w, s, f) ({ __CRATON_ORDER(w, s, f); __CRATON_CAS(p, e, *(v)); })
#define __atomic_fetch_add(p, v, o) ({ __CRATON_ORDER(o); __CRATON_INTEGER(p); __CRATON_OLD(p, +, v); })
#define __atomic_fetch_sub(p, v, o) ({ __CRATON_ORDER(o); __CRATON_INTEGER(p); __CRATON_OLD(p, -, v); })
#define __atomic_fetch_and(p, v, o) ({ __CRATON_ORDER(o); __CRATON_OLD(p, &, v); })
#define __atomic_fetch_or(p, v, o) ({ __CRATON_ORDER(o); __CRATON_OLD(p, |, v); })
#define __atomic_fetch_xor(p, v, o) ({ __CRATON_ORDER(o); __CRATON_OLD(p, ^, v); })
#define __atomic_fetch_nand(p, v, o) ({ __CRATON_ORDER(o); __CRATON_OLD_NAND(p, v); })
#define __atomic_add_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_INTEGER(p); __CRATON_NEW(p, +, v); })
#define __atomic_sub_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_INTEGER(p); __CRATON_NEW(p, -, v); })
#define __atomic_and_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_NEW(p, &, v); })
#define __atomic_or_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_NEW(p, |, v); })
#define __atomic_xor_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_NEW(p, ^, v); })
#define __atomic_nand_fetch(p, v, o) ({ __CRATON_ORDER(o); __CRATON_NEW_NAND(p, v); })
#define __atomic_test_and_set(p, o) \
    ({ __CRATON_ORDER(o); unsigned char *__craton_p = (unsigned char *)(p), __craton_o = *__craton_p; \
       *__craton_p = 1; (_Bool)(__craton_o != 0); })
#define __atomic_clear(p, o) ({ __CRATON_ORDER(o); *(unsigned char *)(p) = 0; (void)0; })
#define __atomic_thread_fence(o) __CRATON_ORDER(o)
#define __atomic_signal_fence(o) __CRATON_ORDER(o)
#define __atomic_always_lock_free(n, p) (((n) & ((n) - 1)) == 0 && (n) <= 8)
#define __atomic_is_lock_free(n, p) (((n) & ((n) - 1)) == 0 && (n) <= 8)

#define __sync_synchronize() ((void)0)
#define __sync_fetch_and_add(p, v, ...) ({ __CRATON_INTEGER(p); __CRATON_OLD(p, +, v); })
#define __sync_fetch_and_sub(p, v, ...) ({ __CRATON_INTEGER(p); __CRATON_OLD(p, -, v); })
#define __sync_fetch_and_or(p, v, ...) __CRATON_OLD(p, |, v)
#define __sync_fetch_and_and(p, v, ...) __CRATON_OLD(p, &, v)
#define __sync_fetch_and_xor(p, v, ...) __CRATON_OLD(p, ^, v)
#define __sync_fetch_and_nand(p, v, ...) __CRATON_OLD_NAND(p, v)
#define __sync_add_and_fetch(p, v, ...) ({ __CRATON_INTEGER(p); __CRATON_NEW(p, +, v); })
#define __sync_sub_and_fetch(p, v, ...) ({ __CRATON_INTEGER(p); __CRATON_NEW(p, -, v); })
#define __sync_or_and_fetch(p, v, ...) __CRATON_NEW(p, |, v)
#define __sync_and_and_fetch(p, v, ...) __CRATON_NEW(p, &, v)
#define __sync_xor_and_fetch(p, v, ...) __CRATON_NEW(p, ^, v)
#define __sync_nand_and_fetch(p, v, ...) __CRATON_NEW_NAND(p, v)
#define __sync_lock_test_and_set(p, v, ...) __CRATON_SWAP(p, v)
#define __sync_lock_release(p, ...) ((void)(*(p) = 0))
#define __sync_val_compare_and_swap(p, e, v, ...) \
    ({ __typeof__(p) __craton_p = (p); __CRATON_VALUE(*__craton_p) __craton_e = (e), __craton_v = (v), \
       __craton_o = *__craton_p; if (__craton_o == __craton_e) *__craton_p = __craton_v; __craton_o; })
#define __sync_bool_compare_and_swap(p, e, v, ...) \
    ({ __typeof__(p) __craton_p = (p); __CRATON_VALUE(*__craton_p) __craton_e = (e), __craton_v = (v); \
       int __craton_r = *__craton_p == __craton_e; if (__craton_r) *__craton_p = __craton_v; (_Bool)__craton_r; })
#endif
