/* The transfer-time models, and the wide arithmetic below them. */
#include <string.h>

#include "firstflight/transfer_time/transfer_time.h"
#include "unity.h"

static struct ff_transfer_time_inputs usual(uint64_t size_bytes)
{
    return (struct ff_transfer_time_inputs){.rate_bps = 10000000,
                                            .rtt_ns = 200000000,
                                            .size_bytes = size_bytes,
                                            .mss_bytes = 1448,
                                            .mtu_bytes = 1500,
                                            .initial_window_segments = 3,
                                            .segments_per_ack = 1,
                                            .threshold_bytes = 65536,
                                            .approved_rate_bps = 5120000};
}

static struct ff_transfer_time compute(const char *scheme, struct ff_transfer_time_inputs inputs)
{
    struct ff_transfer_time answer;

    TEST_ASSERT_EQUAL_INT(FF_OK, ff_transfer_time_compute(scheme, &inputs, &answer));
    return answer;
}

static void expect(const char *scheme, struct ff_transfer_time_inputs inputs, uint64_t psi, const char *numerator,
                   const char *denominator)
{
    char text[FF_WIDE_DECIMAL_SIZE];
    struct ff_transfer_time answer = compute(scheme, inputs);

    TEST_ASSERT_EQUAL_UINT64(psi, answer.psi);
    (void)ff_wide_decimal(&answer.gamma.numerator, text);
    TEST_ASSERT_EQUAL_STRING(numerator, text);
    (void)ff_wide_decimal(&answer.gamma.denominator, text);
    TEST_ASSERT_EQUAL_STRING(denominator, text);
    TEST_ASSERT_EQUAL_UINT64(answer.gamma_ns + inputs.rtt_ns, answer.response_time_ns);
}

/* The inputs are refused, and the answer stays unchanged. */
static void refused(const char *scheme, struct ff_transfer_time_inputs inputs)
{
    struct ff_transfer_time answer;
    struct ff_transfer_time untouched;

    memset(&answer, 0x5A, sizeof answer);
    memset(&untouched, 0x5A, sizeof untouched);
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_transfer_time_compute(scheme, &inputs, &answer));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&untouched, &answer, sizeof answer));
}

void test_slow_start_at_the_ends_of_rounds(void)
{
    expect("slow-start", usual(0), 0, "0", "1");
    expect("slow-start", usual(4344), 0, "3600000", "1");
    expect("slow-start", usual(4345), 1, "36417350000", "181");
    expect("slow-start", usual(65160), 3, "632400000", "1");
    expect("slow-start", usual(65161), 4, "145668950000", "181");
    TEST_ASSERT_EQUAL_UINT64(1005111602, compute("slow-start", usual(65536)).response_time_ns);
}

void test_slow_start_at_the_rate_of_the_link(void)
{
    struct ff_transfer_time_inputs inputs = usual(10000000);

    inputs.rate_bps = 12000000;
    inputs.rtt_ns = 23000000;
    TEST_ASSERT_EQUAL_UINT64(3, compute("slow-start", inputs).psi);
    inputs.rtt_ns++;
    TEST_ASSERT_EQUAL_UINT64(4, compute("slow-start", inputs).psi);
}

void test_acks_for_several_segments(void)
{
    struct ff_transfer_time_inputs inputs = usual(500000);

    inputs.segments_per_ack = 2;
    expect("slow-start", inputs, 10, "1461304484375", "724");
    inputs = usual(7 * 1448);
    inputs.segments_per_ack = 3;
    expect("initial-start", inputs, 1, "206000000", "1");
}

void test_jump_start_around_the_threshold(void)
{
    expect("jump-start", usual(1), 0, "200000000", "1");
    expect("jump-start", usual(65536), 0, "200000000", "1");
    expect("jump-start", usual(65537), 1, "51200390625", "256");
    expect("jump-start", usual(196608), 1, "400000000", "1");
    expect("jump-start", usual(196609), 2, "72400150000", "181");
    expect("jump-start", usual(0), 0, "0", "1");
}

void test_jump_start_without_propagation(void)
{
    struct ff_transfer_time_inputs inputs = usual(2000000);

    inputs.rtt_ns = 0;
    expect("jump-start", inputs, 0, "300000000000", "181");
}

void test_quick_start_takes_only_rates_that_have_a_code(void)
{
    struct ff_transfer_time_inputs inputs = usual(123562);

    expect("quick-start", inputs, 0, "72399609375", "362");
    inputs.approved_rate_bps = 5120001;
    refused("quick-start", inputs);
    TEST_ASSERT_EQUAL_UINT64(0, compute("more-start", inputs).psi);
}

void test_quick_start_codes(void)
{
    static const uint64_t requests[] = {0, 79999, 80000, 5200000, 2000000000, FF_TRANSFER_TIME_RATE_MAX_BPS};
    static const uint64_t codes[] = {0, 0, 1, 7, 15, 15};
    uint64_t code;
    uint64_t rate_bps;

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        TEST_ASSERT_EQUAL_INT(FF_OK, ff_quick_start_code(requests[i], &code, &rate_bps));
        TEST_ASSERT_EQUAL_UINT64(codes[i], code);
        TEST_ASSERT_EQUAL_UINT64(codes[i] > 0 ? FF_QUICK_START_UNIT_BPS << codes[i] : 0, rate_bps);
    }
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_quick_start_code(FF_TRANSFER_TIME_RATE_MAX_BPS + 1, &code, &rate_bps));
}

void test_transfer_time_outside_the_domain_is_refused(void)
{
    static const char *const names[] = {"slow-start", "initial-start", "quick-start", "more-start", "jump-start"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct ff_transfer_time_inputs inputs = usual(1);
        inputs.rate_bps = 0;
        refused(names[i], inputs);
        inputs = usual(1);
        inputs.mss_bytes = 0;
        refused(names[i], inputs);
        inputs.mss_bytes = 1501;
        refused(names[i], inputs);
        refused(names[i], usual(UINT64_MAX));
        inputs = usual(1);
        inputs.segments_per_ack = 9;
        refused(names[i], inputs);
        inputs.segments_per_ack = 0;
        refused(names[i], inputs);
    }
}

void test_transfer_time_of_an_unknown_scheme(void)
{
    struct ff_transfer_time_inputs inputs = usual(1);
    struct ff_transfer_time answer;

    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_transfer_time_compute("slow-star", &inputs, &answer));
    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_transfer_time_compute("slow-starts", &inputs, &answer));
}

void test_the_longest_response(void)
{
    struct ff_transfer_time_inputs inputs = {.rate_bps = 8,
                                             .rtt_ns = FF_TIME_MAX_NS % 1000000000,
                                             .size_bytes = FF_TIME_MAX_NS / 1000000000,
                                             .mss_bytes = 1,
                                             .mtu_bytes = 1,
                                             .initial_window_segments = 2,
                                             .segments_per_ack = 1};

    TEST_ASSERT_EQUAL_UINT64(FF_TIME_MAX_NS, compute("slow-start", inputs).response_time_ns);
    inputs.rtt_ns++;
    refused("slow-start", inputs);
}

void test_the_widest_numbers_stay_within_1024_bits(void)
{
    struct ff_transfer_time_inputs inputs = {.rate_bps = FF_TRANSFER_TIME_RATE_MAX_BPS,
                                             .rtt_ns = FF_TRANSFER_TIME_RTT_MAX_NS,
                                             .size_bytes = FF_TRANSFER_TIME_SIZE_MAX_BYTES,
                                             .mss_bytes = 1,
                                             .mtu_bytes = 1,
                                             .initial_window_segments = 1,
                                             .segments_per_ack = FF_TRANSFER_TIME_SEGMENTS_PER_ACK_MAX,
                                             .threshold_bytes = 1,
                                             .approved_rate_bps = 1};

    TEST_ASSERT_EQUAL_UINT64(27055654902510, compute("slow-start", inputs).gamma_ns);
    TEST_ASSERT_TRUE(compute("jump-start", inputs).psi < 260);
    TEST_ASSERT_TRUE(compute("more-start", inputs).psi < 260);
}

void test_products_and_quotients_of_two_words(void)
{
    uint64_t high;
    uint64_t rest;

    TEST_ASSERT_EQUAL_UINT64(1, ff_wide_product(UINT64_MAX, UINT64_MAX, &high));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX - 1, high);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_wide_quotient(UINT64_MAX - 1, 1, UINT64_MAX, &rest));
    TEST_ASSERT_EQUAL_UINT64(0, rest);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_wide_quotient(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, &rest));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX - 1, rest);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 63, ff_wide_quotient(1, 0, 2, &rest));
}

void test_a_wide_number_that_would_overflow_stays_within_its_memory(void)
{
    struct ff_wide x;

    ff_wide_set(&x, UINT64_MAX);
    for (int i = 0; i < 40; i++) {
        ff_wide_multiply(&x, UINT64_MAX);
    }
    TEST_ASSERT_TRUE(x.count <= FF_WIDE_LIMBS);
}
