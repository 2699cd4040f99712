#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// EVP_EC_gen is a macro over the variadic EVP_PKEY_Q_keygen, neither of which Swift can import.
static inline EVP_PKEY *relay_EVP_P256_generate(void) {
    return EVP_EC_gen("P-256");
}

// HMAC with SHA-256 under a key of one zero octet, to be copied and given the key that is meant; NULL when it cannot be
// made. It is written in C because an OSSL_PARAM keeps the pointers that it is given. (A copy of one without any key fails
// in OpenSSL 3.0.)
static inline EVP_MAC_CTX *relay_EVP_HMAC_SHA256(void) {
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm == NULL ? NULL : EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
    if (context == NULL || EVP_MAC_init(context, (const unsigned char *)"", 1, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

// A key of P-256 from its uncompressed point of 65 octets and, where `scalar` is not NULL, its 32 octets of private
// scalar; NULL when the point is not on the curve. It is written in C because an OSSL_PARAM keeps the pointers that it
// is given, those to its names too, and a pointer to a Swift string or array ends with the call it was made for.
static inline EVP_PKEY *relay_EVP_P256_make(const unsigned char *point, const unsigned char *scalar) {
    unsigned char native[32];
    OSSL_PARAM parameters[4], *next = parameters;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65);
    if (scalar != NULL) {
        BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
        if (number == NULL) return NULL;
        BN_bn2nativepad(number, native, sizeof native);
        BN_clear_free(number);
        *next++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native, sizeof native);
    }
    *next = OSSL_PARAM_construct_end();

    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(context, &key, scalar != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
    }
    EVP_PKEY_CTX_free(context);
    OPENSSL_cleanse(native, sizeof native);
    return key;
}
