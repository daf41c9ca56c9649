/*
 * Parameters of OpenSSL, in place of its generated header. No function of OpenSSL's QUIC passes parameters to the controller,
 * so nothing is ever found.
 */
#include <stdlib.h>

#include <openssl/core.h>

#define OSSL_PARAM_UNSIGNED_INTEGER 2
#define OSSL_PARAM_locate_const(params, key) ((void)(params), (const OSSL_PARAM *)NULL)
#define OSSL_PARAM_get_size_t(param, value) ((void)(param), *(value) = 0, 0)

#define OPENSSL_zalloc(size) calloc(1, size)
#define OPENSSL_free free
