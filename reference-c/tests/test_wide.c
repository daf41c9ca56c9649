/* Products of 128 bits, with unsigned __int128 and without: the port is built once more here without it. */
#include "support.h"

#include "firstflight/wide.h"

#define FF_NO_INT128
#define ff_wide_product portable_product
#define ff_wide_quotient portable_quotient
#define ff_mul_64_64 portable_mul_64_64
#define ff_mul_128_64 portable_mul_128_64
#define ff_add_128 portable_add_128
#define ff_compare_128 portable_compare_128

uint64_t portable_product(uint64_t a, uint64_t b, uint64_t *high);
uint64_t portable_quotient(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder);
struct ff_u128 portable_mul_64_64(uint64_t a, uint64_t b);
struct ff_u128 portable_mul_128_64(struct ff_u128 a, uint64_t b);
struct ff_u128 portable_add_128(struct ff_u128 a, struct ff_u128 b);
int portable_compare_128(struct ff_u128 a, struct ff_u128 b);

#include "../src/wide.c"

#undef ff_wide_product
#undef ff_wide_quotient
#undef ff_mul_64_64
#undef ff_mul_128_64
#undef ff_add_128
#undef ff_compare_128

static uint64_t seed;

/* Numbers with few and with many bits, and with runs of ones. */
static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    uint64_t number = (seed ^ seed >> 29) >> (seed >> 58);
    return seed >> 32 & 1 ? number : ~number;
}

void test_products_agree(void)
{
    for (int i = 0; i < 100000; i++) {
        uint64_t a = draw(), b = draw(), high, portable_high;
        TEST_ASSERT_EQUAL_UINT64(ff_wide_product(a, b, &high), portable_product(a, b, &portable_high));
        TEST_ASSERT_EQUAL_UINT64(high, portable_high);
    }
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

void test_wide_products_agree_and_saturate(void)
{
    static const struct ff_u128 half = {UINT64_C(1) << 63, 0};

    for (int i = 0; i < 100000; i++) {
        struct ff_u128 a = {draw(), draw()};
        uint64_t b = draw();
        struct ff_u128 product = ff_mul_128_64(a, b);
        TEST_ASSERT_EQUAL_INT(0, ff_compare_128(product, portable_mul_128_64(a, b)));
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
