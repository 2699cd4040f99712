// Writes requests of Pixelfed's shape, ready to be sent: messages NUMBER SUBSCRIPTIONS OUTPUT
//
// SUBSCRIPTIONS is a file of "<path> <p256dh> <auth>" lines, the last two in hexadecimal; they are taken in turn. All
// requests have the same length, which is printed. Each has a key, a salt and a text of its own, as with a sender.
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PADDED = 2820, BODY = 86 + PADDED + 16, HEAD_ROOM = 512, THREADS = 2 };

struct subscription {
    char path[128];
    unsigned char point[65], auth[16];
};

static struct subscription *subscriptions;
static long subscription_count, number;
static unsigned char *output;
static size_t request_length;
static EC_GROUP *group;

static void fail(const char *what) {
    fprintf(stderr, "messages: %s\n", what);
    exit(1);
}

static void hmac(const void *key, int key_length, const void *message, size_t length, unsigned char *code) {
    if (HMAC(EVP_sha256(), key, key_length, message, length, code, NULL) == NULL) fail("HMAC failed");
}

static int head(char *octets, const struct subscription *to) {
    return snprintf(octets, HEAD_ROOM,
                    "POST %s HTTP/1.1\r\nHost: push.example.org\r\nUser-Agent: GuzzleHttp/7\r\n"
                    "Content-Type: application/octet-stream\r\nContent-Encoding: aes128gcm\r\nTTL: 2419200\r\n"
                    "Content-Length: %d\r\n\r\n",
                    to->path, BODY);
}

// RFC 8291 and RFC 8188, as a sender does it.
static void encrypt(const struct subscription *to, long serial, unsigned char *body, BN_CTX *numbers) {
    unsigned char *salt = body, *point = body + 21, *sealed = body + 86;
    if (RAND_bytes(salt, 16) != 1) fail("no random octets");
    memcpy(body + 16, "\0\0\x10\0\x41", 5);

    EC_KEY *key = EC_KEY_new();
    EC_POINT *peer = EC_POINT_new(group), *product = EC_POINT_new(group);
    BIGNUM *x = BN_new();
    unsigned char secret[32];
    if (EC_KEY_set_group(key, group) != 1 || EC_KEY_generate_key(key) != 1 ||
        EC_POINT_point2oct(group, EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED, point, 65, numbers) !=
            65 ||
        EC_POINT_oct2point(group, peer, to->point, 65, numbers) != 1 ||
        EC_POINT_mul(group, product, NULL, peer, EC_KEY_get0_private_key(key), numbers) != 1 ||
        EC_POINT_get_affine_coordinates(group, product, x, NULL, numbers) != 1 || BN_bn2binpad(x, secret, 32) != 32)
        fail("no shared secret");
    EC_KEY_free(key);
    EC_POINT_free(peer);
    EC_POINT_free(product);
    BN_free(x);

    unsigned char combining[32], info[145], input[32], random_key[32], content_key[32], nonce[32];
    hmac(to->auth, 16, secret, 32, combining);
    memcpy(info, "WebPush: info", 14);
    memcpy(info + 14, to->point, 65);
    memcpy(info + 79, point, 65);
    info[144] = 1;
    hmac(combining, 32, info, sizeof info, input);
    hmac(salt, 16, input, 32, random_key);
    hmac(random_key, 32, "Content-Encoding: aes128gcm\0\1", 29, content_key);
    hmac(random_key, 32, "Content-Encoding: nonce\0\1", 25, nonce);

    unsigned char padded[PADDED] = {0};
    int length = snprintf((char *)padded, PADDED,
                          "{\"notification_type\":\"comment\",\"title\":\"New Comment\",\"body\":\"alice commented "
                          "on your post: what a light, and so many birds above the bay (%ld)\",\"account_id\":"
                          "\"961576165188272129\",\"status_id\":\"988149955134320972\"}",
                          serial);
    padded[length] = 2;
    int written = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    if (EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, content_key, nonce) != 1 ||
        EVP_EncryptUpdate(cipher, sealed, &written, padded, PADDED) != 1 ||
        EVP_EncryptFinal_ex(cipher, sealed + written, &written) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, sealed + PADDED) != 1)
        fail("AES-GCM failed");
    EVP_CIPHER_CTX_free(cipher);
}

static void *fill(void *first) {
    BN_CTX *numbers = BN_CTX_new();
    for (long serial = (long)first; serial < number; serial += THREADS) {
        const struct subscription *to = &subscriptions[serial % subscription_count];
        char text[HEAD_ROOM];
        int length = head(text, to);
        if ((size_t)length + BODY != request_length) fail("the paths are not of one length");
        memcpy(output + serial * request_length, text, length);
        encrypt(to, serial, output + serial * request_length + length, numbers);
    }
    BN_CTX_free(numbers);
    return NULL;
}

static void octets(const char *text, unsigned char *to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) fail("a key is not in hexadecimal");
        to[i] = value;
    }
}

int main(int count, char **arguments) {
    if (count != 4 || (number = atol(arguments[1])) < 1) fail("usage: messages NUMBER SUBSCRIPTIONS OUTPUT");
    group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    FILE *list = fopen(arguments[2], "r");
    if (list == NULL) fail("cannot read the subscriptions");
    char path[128], point[131], auth[33];
    while (fscanf(list, "%127s %130s %32s", path, point, auth) == 3) {
        subscriptions = realloc(subscriptions, (subscription_count + 1) * sizeof *subscriptions);
        struct subscription *next = &subscriptions[subscription_count++];
        strcpy(next->path, path);
        octets(point, next->point, 65);
        octets(auth, next->auth, 16);
    }
    fclose(list);
    if (subscription_count == 0) fail("there are no subscriptions");
    char text[HEAD_ROOM];
    request_length = head(text, subscriptions) + BODY;
    output = malloc(request_length * number);
    if (output == NULL) fail("no memory");
    pthread_t threads[THREADS];
    for (long first = 0; first < THREADS; first++) pthread_create(&threads[first], NULL, fill, (void *)first);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    FILE *file = fopen(arguments[3], "w");
    if (file == NULL || fwrite(output, request_length, number, file) != (size_t)number || fclose(file) != 0)
        fail("cannot write the requests");
    printf("%zu\n", request_length);
    return 0;
}
