int __craton_errno;
int *__errno_location(void) { return &__craton_errno; }
