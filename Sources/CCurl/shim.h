#pragma once

#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot import: one function here
// for each kind of argument.
static inline CURLcode relay_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode relay_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode relay_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode relay_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode relay_curl_set_write(CURL *handle, size_t (*function)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
}

static inline CURLcode relay_curl_set_opensocket(
    CURL *handle, curl_socket_t (*function)(void *, curlsocktype, struct curl_sockaddr *)) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode relay_curl_set_closesocket(CURL *handle, int (*function)(void *, curl_socket_t)) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode relay_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode relay_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

// libcurl's own text; it belongs to the handle.
static inline CURLcode relay_curl_get_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

// The certificates that CURLOPT_CERTINFO had it keep; they belong to the handle. Null where there are none.
static inline const struct curl_certinfo *relay_curl_get_certificates(CURL *handle) {
    struct curl_certinfo *chain = NULL;
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain) == CURLE_OK ? chain : NULL;
}

static inline CURLMcode relay_curl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

// The result of a finished transfer is a member of a union that Swift imports without its cases.
static inline CURLcode relay_curl_result(const CURLMsg *message) {
    return message->data.result;
}
