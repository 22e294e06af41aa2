// Atomic operations of every kind and width, one after the other in one thread.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TEST(T, FORMAT)                                                                                                \
    static void test_##T(void) {                                                                                       \
        static _Atomic T shared;                                                                                       \
        static volatile T inputs[] = {(T)5, (T)-3, (T)0x7f, (T)0x80, (T)0x123456789abcdefull};                         \
        atomic_init(&shared, (T)1);                                                                                    \
        for (int i = 0; i < 5; i++) {                                                                                  \
            T v = inputs[i];                                                                                           \
            printf(FORMAT, (T)atomic_fetch_add(&shared, v));                                                           \
            printf(FORMAT, (T)atomic_fetch_sub_explicit(&shared, (T)(v / 2), memory_order_relaxed));                   \
            printf(FORMAT, (T)atomic_fetch_and(&shared, (T)(v | 0x55)));                                               \
            printf(FORMAT, (T)atomic_fetch_or(&shared, v));                                                            \
            printf(FORMAT, (T)atomic_fetch_xor_explicit(&shared, (T)0x33, memory_order_acq_rel));                      \
            printf(FORMAT, (T)atomic_exchange(&shared, (T)(v * 3)));                                                   \
            T plain = (T)(v * 3);                                                                                      \
            printf(FORMAT, (T)__atomic_fetch_nand(&plain, v, __ATOMIC_SEQ_CST));                                       \
            printf(FORMAT, (T)__atomic_add_fetch(&plain, v, __ATOMIC_RELEASE));                                        \
            printf(FORMAT, (T)__atomic_fetch_max(&plain, v, __ATOMIC_RELAXED));                                        \
            printf(FORMAT, (T)__atomic_fetch_min(&plain, (T)(v - 9), __ATOMIC_RELAXED));                               \
            printf(FORMAT, (T)__sync_fetch_and_add(&plain, (T)1));                                                     \
            printf(FORMAT, (T)__sync_val_compare_and_swap(&plain, (T)(v - 8), (T)77));                                 \
            printf(FORMAT, (T)__sync_lock_test_and_set(&plain, (T)5));                                                 \
            printf(FORMAT, plain);                                                                                     \
            T expected = (T)(v * 3);                                                                                   \
            bool done = atomic_compare_exchange_strong(&shared, &expected, (T)11);                                     \
            printf("%d" FORMAT, done, expected);                                                                       \
            done = atomic_compare_exchange_strong(&shared, &expected, (T)12);                                          \
            printf("%d" FORMAT, done, expected);                                                                       \
            do {                                                                                                       \
                expected = atomic_load_explicit(&shared, memory_order_acquire);                                        \
            } while (!atomic_compare_exchange_weak(&shared, &expected, (T)(expected + 1)));                            \
            printf(FORMAT "\n", (T)atomic_load(&shared));                                                              \
            shared++;                                                                                                  \
            shared += v;                                                                                               \
            shared *= 3;                                                                                               \
            printf(FORMAT "\n", (T)shared);                                                                            \
            atomic_store(&shared, v);                                                                                  \
        }                                                                                                              \
    }

TEST(int8_t, " %d")
TEST(uint8_t, " %u")
TEST(int16_t, " %d")
TEST(uint16_t, " %u")
TEST(int32_t, " %d")
TEST(uint32_t, " %u")
TEST(int64_t, " %ld")
TEST(uint64_t, " %lu")

struct pair {
    int a, b;
};

int main(void) {
    test_int8_t();
    test_uint8_t();
    test_int16_t();
    test_uint16_t();
    test_int32_t();
    test_uint32_t();
    test_int64_t();
    test_uint64_t();

    static atomic_flag flag = ATOMIC_FLAG_INIT;
    printf("%d", atomic_flag_test_and_set(&flag));
    printf("%d", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    printf("%d\n", atomic_flag_test_and_set(&flag));

    static _Atomic(struct pair) pairs;
    atomic_store(&pairs, ((struct pair){3, 4}));
    struct pair p = atomic_load(&pairs);
    struct pair want = {3, 4};
    bool swapped = atomic_compare_exchange_strong(&pairs, &want, ((struct pair){5, 6}));
    struct pair q = atomic_exchange(&pairs, p);
    printf("%d %d %d %d %d\n", p.a, p.b, swapped, q.a, q.b);

    static int numbers[4] = {1, 2, 3, 4};
    static _Atomic(int *) cursor;
    atomic_store(&cursor, numbers);
    int *old = atomic_fetch_add(&cursor, 2);
    printf("%d %d\n", *old, *atomic_load(&cursor));

    static _Atomic float f = 1.5f;
    static _Atomic double d = 2.5;
    f += 2;
    d *= 3;
    d = d - 1;
    printf("%g %g\n", f, d);
    static _Atomic bool b;
    b = true;
    b ^= true;
    printf("%d\n", b);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_synchronize();
    printf("%d %d\n", atomic_is_lock_free(&pairs), __atomic_always_lock_free(4, 0));
    return 0;
}
