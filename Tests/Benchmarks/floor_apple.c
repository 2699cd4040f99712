// The least that a request to Apple costs with libcurl: floor_apple NUMBER ORIGIN CERTIFICATES TOKEN...
//
// One connection in HTTP/2, 50 requests under way on it, handles and their fields made once and used again.
#include "floor.h"
#include <curl/curl.h>
#include <string.h>

enum { STREAMS = 50 };

static size_t drop(char *octets, size_t size, size_t count, void *context) {
    (void)octets, (void)context;
    return size * count;
}

static CURL *handle(const char *origin, const char *certificates, const char *token, const char *payload) {
    static const char *const fields[] = {
        "apns-topic: org.example.pixels", "apns-push-type: alert", "apns-priority: 10", "apns-expiration: 1800000000",
        "apns-id: 6f0c4a36-36a4-4d3e-a6b9-5f0f7d0a1a11", "content-type: application/json", "accept:"};
    // As long as an ES256 token is.
    char url[512], bearer[256];
    snprintf(bearer, sizeof bearer, "authorization: bearer %0186d", 0);
    struct curl_slist *list = curl_slist_append(NULL, bearer);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) list = curl_slist_append(list, fields[i]);
    snprintf(url, sizeof url, "%s/3/device/%s", origin, token);
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, payload);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, certificates);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    return easy;
}

int main(int count, char **arguments) {
    if (count < 5) return fprintf(stderr, "usage: floor_apple NUMBER ORIGIN CERTIFICATES TOKEN...\n"), 64;
    long number = atol(arguments[1]);
    // What Apple gets of a message of the benchmark.
    static const char payload[] =
        "{\"account\":\"alice@pixels.example\",\"account_id\":\"961576165188272129\",\"aps\":{\"alert\":{"
        "\"body\":\"alice commented on your post: what a light, and so many birds above the bay (12345)\","
        "\"title\":\"New Comment\"},"
        "\"badge\":12,\"sound\":\"default\"},\"notification_type\":\"comment\",\"status_id\":\"988149955134320972\"}";
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    CURL *waiting[STREAMS];
    int waiting_count = 0;
    for (int i = 0; i < STREAMS; i++)
        waiting[waiting_count++] = handle(arguments[2], arguments[3], arguments[4 + i % (count - 4)], payload);
    long started = 0, finished = 0, warm = STREAMS;
    double start = 0;
    // One first, then as many as fill the line once, and then those that count.
    while (finished < warm + number) {
        long open = finished == 0 ? 1 : finished < warm ? warm : warm + number;
        while (waiting_count > 0 && started < open) {
            curl_multi_add_handle(multi, waiting[--waiting_count]);
            started++;
        }
        int running;
        curl_multi_perform(multi, &running);
        int remaining, some = 0;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &remaining)) != NULL;) {
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            require(code == CURLE_OK && status == 200, code ? curl_easy_strerror(code) : "an answer of 200");
            curl_multi_remove_handle(multi, easy);
            waiting[waiting_count++] = easy;
            if (++finished == warm) start = processor_seconds();
            some = 1;
        }
        if (!some) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    report(start, number);
    return 0;
}
