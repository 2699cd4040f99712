// The least that opening messages costs with OpenSSL: floor_open NUMBER REQUESTS LENGTH SCALAR POINT AUTH
//
// The messages are the bodies of the requests, made for one subscription, whose keys are given in hexadecimal.
#include "floor.h"
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum { BODY = 2922, PADDED = 2820 };

static void octets(const char *text, unsigned char *to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        require(sscanf(text + 2 * i, "%2x", &value) == 1, "reading a key");
        to[i] = value;
    }
}

static void hmac(const void *key, int key_length, const void *message, size_t length, unsigned char *code) {
    require(HMAC(EVP_sha256(), key, key_length, message, length, code, NULL) != NULL, "HMAC");
}

int main(int count, char **arguments) {
    if (count != 7) return fprintf(stderr, "usage: floor_open NUMBER REQUESTS LENGTH SCALAR POINT AUTH\n"), 64;
    long number = atol(arguments[1]), length = atol(arguments[3]);
    unsigned char scalar[32], own[65], auth[16];
    octets(arguments[4], scalar, sizeof scalar);
    octets(arguments[5], own, sizeof own);
    octets(arguments[6], auth, sizeof auth);
    unsigned char *requests = malloc(number * length);
    FILE *file = fopen(arguments[2], "r");
    require(file != NULL && fread(requests, length, number, file) == (size_t)number, "reading the requests");
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BN_CTX *numbers = BN_CTX_new();
    EC_POINT *peer = EC_POINT_new(group), *product = EC_POINT_new(group);
    BIGNUM *x = BN_new(), *private = BN_new();
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    double start = processor_seconds();
    for (long i = 0; i < number; i++) {
        const unsigned char *body = requests + (i + 1) * length - BODY;
        unsigned char secret[32], combining[32], info[145], input[32], random_key[32], content_key[32], nonce[32];
        require(BN_bin2bn(scalar, 32, private) != NULL, "the scalar");
        require(EC_POINT_oct2point(group, peer, body + 21, 65, numbers) == 1, "the sender's point");
        require(EC_POINT_mul(group, product, NULL, peer, private, numbers) == 1, "ECDH");
        require(EC_POINT_get_affine_coordinates(group, product, x, NULL, numbers) == 1, "the secret");
        require(BN_bn2binpad(x, secret, 32) == 32, "the secret");
        hmac(auth, 16, secret, 32, combining);
        memcpy(info, "WebPush: info", 14);
        memcpy(info + 14, own, 65);
        memcpy(info + 79, body + 21, 65);
        info[144] = 1;
        hmac(combining, 32, info, sizeof info, input);
        hmac(body, 16, input, 32, random_key);
        hmac(random_key, 32, "Content-Encoding: aes128gcm\0\1", 29, content_key);
        hmac(random_key, 32, "Content-Encoding: nonce\0\1", 25, nonce);
        unsigned char plaintext[PADDED];
        int written = 0;
        require(EVP_DecryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, content_key, nonce) == 1, "AES-GCM");
        require(EVP_DecryptUpdate(cipher, plaintext, &written, body + 86, PADDED) == 1, "AES-GCM");
        require(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(body + 86 + PADDED)) == 1, "AES-GCM");
        require(EVP_DecryptFinal_ex(cipher, plaintext + PADDED, &written) == 1, "opening a message");
    }
    report(start, number);
    return 0;
}
