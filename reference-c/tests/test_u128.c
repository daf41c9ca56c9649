/* Numbers of 128 bits. The tests are built once more without unsigned __int128. */
#include "support.h"

#include "firstflight/u128.h"
#include "firstflight/wide.h"

static uint64_t seed;

/* Numbers with few and with many bits, and with runs of ones. */
static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    uint64_t number = (seed ^ seed >> 29) >> (seed >> 58);
    return seed >> 32 & 1 ? number : ~number;
}

void test_a_quotient_times_the_divisor_is_the_dividend(void)
{
    for (int i = 0; i < 100000; i++) {
        uint64_t divisor = draw() | 1, low = draw(), rest;
        uint64_t high = draw() % divisor;
        uint64_t quotient = ff_wide_quotient(high, low, divisor, &rest);
        struct ff_u128 back = ff_add_128(ff_mul_64_64(quotient, divisor), (struct ff_u128){0, rest});
        TEST_ASSERT_TRUE(rest < divisor);
        TEST_ASSERT_EQUAL_UINT64(high, back.hi);
        TEST_ASSERT_EQUAL_UINT64(low, back.lo);
    }
}

void test_wide_products_saturate(void)
{
    static const struct ff_u128 half = {UINT64_C(1) << 63, 0};

    for (int i = 0; i < 100000; i++) {
        struct ff_u128 a = {draw(), draw()};
        uint64_t b = draw();
        struct ff_u128 product = ff_mul_128_64(a, b);
        /* In halves of 64 bits: a.hi * b has to fit, and the carry on top of it. */
        struct ff_u128 low = ff_mul_64_64(a.lo, b), high = ff_mul_64_64(a.hi, b);
        bool fits = high.hi == 0 && high.lo <= UINT64_MAX - low.hi;
        TEST_ASSERT_EQUAL_UINT64(fits ? low.lo : UINT64_MAX, product.lo);
        TEST_ASSERT_EQUAL_UINT64(fits ? low.hi + high.lo : UINT64_MAX, product.hi);
    }
    TEST_ASSERT_EQUAL_UINT64(half.hi, ff_mul_128_64(half, 1).hi);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_mul_128_64(half, 2).lo);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_mul_128_64((struct ff_u128){UINT64_MAX, UINT64_MAX}, 2).hi);
}

void test_sums_carry_and_numbers_compare(void)
{
    static const struct ff_u128 rising[] = {{0, 0}, {0, 1}, {0, UINT64_MAX}, {1, 0}, {1, 1}, {2, 0}, {UINT64_MAX, 0}};
    struct ff_u128 sum = ff_add_128((struct ff_u128){3, UINT64_MAX}, (struct ff_u128){4, 1});

    TEST_ASSERT_EQUAL_UINT64(8, sum.hi);
    TEST_ASSERT_EQUAL_UINT64(0, sum.lo);
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 7; j++) {
            TEST_ASSERT_EQUAL_INT((i > j) - (i < j), ff_compare_128(rising[i], rising[j]));
        }
    }
}
