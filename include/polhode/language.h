/* What a model file may say, as tables: for manuals, lists and editors. docs/model.md is written from them.
 *
 * Kinds of elements have numbers from 0; some kinds have types, as joints have, others one. */
#ifndef POLHODE_LANGUAGE_H
#define POLHODE_LANGUAGE_H

#include "polhode/base.h"

#ifdef __cplusplus
extern "C" {
#endif

PH_API int ph_language_kind(const char *name); /* "JOINT", "RUN": as in src/model/keys.def; -1: none */
PH_API const char *
ph_language_kind_word(int kind); /* "joint"; "" where the type is the word; NULL past the end */

typedef struct ph_language_type {
    const char *name, *text;
    int size;         /* of a sensor: numbers that it gives; 0: any, or no sensor */
    const char *unit; /* of these */
} ph_language_type;

PH_API int ph_language_type_get(int kind, int type, ph_language_type *out); /* 0: past the end */

/* Names of abilities: "compile", "sens", "linearise", "static", "energy" (it stores energy); NULL past the end. */
PH_API const char *ph_language_ability(int k);
/* Return 1 if elements of a type have an ability, 0 if not, -1 for kinds without abilities, as run{}. Commands refuse elements that
 * lack an ability by their names. */
PH_API int ph_language_can(int kind, int type, int ability);

typedef struct ph_language_key {
    int kind;
    const char *name, *value, *unit, *text; /* value: "3 numbers" */
    const char *(*words)(int k);            /* the value is one of these; NULL: no list */
    int required;
} ph_language_key;

PH_API int ph_language_key_get(int k, ph_language_key *out);   /* 0: past the end */
PH_API int ph_language_key_belongs(int k, int kind, int type); /* 1: key k is one of this type; 0: no */

/* The value of a key of run{} that is not given; "": its text tells. Returns text. */
PH_API const char *ph_language_key_default(int k, char *text, size_t size);

PH_API const char *ph_shape_word(int k); /* "box" ...; NULL past the end */
PH_API const char *ph_shape_text(int k); /* what it is, for k within the list */

typedef struct ph_language_limits {
    double read_operations, call_operations; /* to read a file; of one call of a function */
    double read_s, call_s;                   /* s of the processor, alike, */
    double element_s;                        /* and more for each element of the file */
    double memory, string, file;             /* bytes of Lua; of one string; of the file */
    double number;                           /* largest */
    int name, results;                       /* characters; numbers of a custom sensor or a constraint */
} ph_language_limits;

PH_API ph_language_limits ph_language_limits_get(void); /* those of this build */

#ifdef __cplusplus
}
#endif

#endif
