/* What glibc's headers ask for on machines without its 32-bit part; it says which functions are missing. */
