/* JSON objects with numbers of 17 significant digits. */
#ifndef PH_IO_JSON_H
#define PH_IO_JSON_H

#include <cJSON.h>
#include <stdio.h>

/* One document. Where memory ends, nothing more is added and ph_json_print refuses. */
typedef struct ph_json {
    cJSON *root;
    int failed;
} ph_json;

ph_json ph_json_create(void);
int ph_json_print(ph_json *j, FILE *to); /* and delete it; 0: there was not enough memory */

/* Members of the object "to". NaN and infinity, which JSON does not have, become null. */
cJSON *ph_json_object(ph_json *j, cJSON *to, const char *name);
cJSON *ph_json_array(ph_json *j, cJSON *to, const char *name);
cJSON *ph_json_element(ph_json *j, cJSON *array); /* a further object at the end */
void ph_json_number(ph_json *j, cJSON *to, const char *name, double x);
void ph_json_count(ph_json *j, cJSON *to, const char *name, long n);
void ph_json_numbers(ph_json *j, cJSON *to, const char *name, int n, const double *x);
void ph_json_text(ph_json *j, cJSON *to, const char *name,
                  const char *text); /* name NULL: at the end of an array */

#endif
