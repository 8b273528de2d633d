/* Runs whose steps a compiled model makes. */
#ifndef PH_COMPILE_NATIVE_H
#define PH_COMPILE_NATIVE_H

#include "compile/built.h"
#include "run/private.h"

typedef struct ph_member {
    ph_native base;  /* first */
    ph_compiled *of; /* NULL: the caller has loaded the code */
    unsigned (*step)(void *state);
    ph_struct_places at;
    double t0;
    int checked;     /* steps that agreed */
    int lanes, lane; /* lane -1: all of them */
    double *state;   /* number k of lane i is k lanes + i */
    double *own;     /* the same, of this run alone; */
    int ahead;       /* 1: the step was made, with others, */
    unsigned failed; /* and did not converge */
    const double *data;
    double *past; /* room for what a method of several steps remembers; NULL: nothing */
} ph_member;

void ph_member_load(const ph_run *run, ph_member *n); /* the struct before a step */
unsigned ph_member_step(const ph_member *n);          /* of all lanes: a bit for each that failed */
void ph_member_get(const ph_member *n, int place, double *to, int count);

/* The next point of the run, after so many steps; it becomes the present one, after one. */
void ph_member_fetch(ph_run *run, const ph_member *n, long steps);
void ph_member_accept(ph_run *run, const ph_member *n);

#endif
