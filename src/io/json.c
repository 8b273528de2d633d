/* JSON objects with numbers of 17 significant digits, on top of cJSON. Lists of numbers are one text, which takes a fifth of the memory. */
#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ph_json ph_json_create(void)
{
    ph_json j = {.root = cJSON_CreateObject()};
    j.failed = !j.root;
    return j;
}

/* At the end of an object, or of an array where name is NULL. */
static cJSON *add(ph_json *j, cJSON *to, const char *name, cJSON *item)
{
    if (!j->failed && item && (name ? cJSON_AddItemToObject(to, name, item) : cJSON_AddItemToArray(to, item)))
        return item;
    j->failed = 1;
    cJSON_Delete(item);
    return NULL;
}

#define DIGITS 26 /* characters of a number and a comma */

/* 17 digits give every double back; cJSON's own numbers drop to 15 where they come close. */
static int print_number(char *to, double x)
{
    return snprintf(to, DIGITS, isfinite(x) ? "%.17g" : "null", x);
}

cJSON *ph_json_object(ph_json *j, cJSON *to, const char *name)
{
    return add(j, to, name, cJSON_CreateObject());
}

cJSON *ph_json_array(ph_json *j, cJSON *to, const char *name)
{
    return add(j, to, name, cJSON_CreateArray());
}

cJSON *ph_json_element(ph_json *j, cJSON *array)
{
    return add(j, array, NULL, cJSON_CreateObject());
}

void ph_json_number(ph_json *j, cJSON *to, const char *name, double x)
{
    char text[DIGITS];
    print_number(text, x);
    add(j, to, name, cJSON_CreateRaw(text));
}

void ph_json_count(ph_json *j, cJSON *to, const char *name, long n)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", n);
    add(j, to, name, cJSON_CreateRaw(text));
}

void ph_json_numbers(ph_json *j, cJSON *to, const char *name, int n, const double *x)
{
    char *text = malloc(DIGITS * (size_t)n + 3), *at = text;
    for (int i = 0; i < n && text; i++) {
        *at++ = i ? ',' : '[';
        at += print_number(at, x[i]);
    }
    if (text)
        strcpy(at, n ? "]" : "[]");
    add(j, to, name, text ? cJSON_CreateRaw(text) : NULL);
    free(text);
}

void ph_json_text(ph_json *j, cJSON *to, const char *name, const char *text)
{
    add(j, to, name, cJSON_CreateString(text));
}

int ph_json_print(ph_json *j, FILE *to)
{
    char *text = j->failed ? NULL : cJSON_PrintUnformatted(j->root);
    if (text)
        fprintf(to, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(j->root);
    *j = (ph_json){.failed = !text};
    return !j->failed;
}
