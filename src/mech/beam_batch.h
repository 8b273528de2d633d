/* Beam elements four at a time, one in each lane of a vector. */
#ifndef PH_MECH_BEAM_BATCH_H
#define PH_MECH_BEAM_BATCH_H

#include "mech/ends.h"

/* Sections of four elements, as of ph_force_def; read as vectors where they stand, which are aligned to their size. */
typedef struct ph_beam_sections {
#define PH_SECTION_NUMBER(list, record, member, n, ...)                                                      \
    _Alignas(PH_BATCH * sizeof(double)) double member[n][PH_BATCH];
#include "mech/numbers.def"
} ph_beam_sections;

/* Four elements of one kind: with damping or without, with mass of one model or none. Numbers of lane i: [i]. */
typedef struct ph_beam_batch {
    const ph_beam_sections
        *sections; /* those of a uniform rod are one for all its batches: they stay in the cache */
#define PH_BEAM_NUMBER(list, record, member, n, ...)                                                         \
    _Alignas(PH_BATCH * sizeof(double)) double member[n][PH_BATCH];
#include "mech/numbers.def"
    int n;               /* elements; lanes beyond repeat the last */
    int force[PH_BATCH]; /* of the mechanism */
    int damped, heavy, mass_model;
    ph_ends at;          /* places of g are those of velocities */
    int K[16][PH_BATCH]; /* pairs of slots */
} ph_beam_batch;

/* A state, and what acts on it. */
typedef struct ph_beam_state {
    ph_ends_state at;
    double gravity[3]; /* m/s^2, world, times the factor of loads */
    int body_axes;     /* coordinates are those of SE(3), else the physical ones */
} ph_beam_state;

/* Adds kinetic and potential energies of the elements. */
void ph_beam_batch_energies(const ph_beam_batch *b, const ph_beam_state *s, double *kinetic,
                            double *potential);

/* Adds terms of g, M, C and K where these are not NULL. Returns a bit for each element that turns too far, or by what is no number;
 * 0: none does. */
unsigned ph_beam_batch_add(const ph_beam_batch *b, const ph_beam_state *s, double *g, double *M, double *C,
                           double *K);

#endif
