/* What elements see of bodies, and where they write. */
#ifndef PH_MECH_ELEMENT_H
#define PH_MECH_ELEMENT_H

#include "polhode/vec.h"

#ifndef PH_ELEMENT_LANES          /* elements in lanes have joints and forces of their own */
typedef struct ph_joint ph_joint; /* elements read its points, frames and axes */
typedef struct ph_force ph_force; /* and the points and numbers of forces */
#endif

/* ---- elements see bodies ------------------------------------------------------------------------ */

enum { PH_XA, PH_FA, PH_XB, PH_FB, PH_SLOTS }; /* slots: x and phi of the first and of the second body */

/* A bit for each pair of slots that a tangent couples; rows of four. */
#define PH_COUPLE(row, col) (1u << (4 * (row) + (col)))
#define PH_COUPLE_ALL       0xffffu
#define PH_COUPLE_TURNS                                                                                      \
    (PH_COUPLE(PH_FA, PH_FA) | PH_COUPLE(PH_FA, PH_FB) | PH_COUPLE(PH_FB, PH_FA) | PH_COUPLE(PH_FB, PH_FB))

/* One body at one instant. */
typedef struct ph_kin {
    ph_vec3 x, v; /* of the centre of mass, of a marker or of the origin of a frame, world */
    ph_vec3 w;    /* angular velocity, body */
    ph_quat q;
    ph_mat3 R;
} ph_kin;

/* Where an element writes: slot k has its columns at out + at[k], pair (i, j) its block at out + at[4 i +
 * j], rows stride apart; a negative at: not there. row: what rows are counted from. */
typedef struct ph_put {
    ph_real *out;
    const int *at;
    int stride, row;
} ph_put;

PH_FN void ph_put_row(const ph_put *p, int slot, int row, ph_vec3 a)
{
    if (p->at[slot] >= 0)
        ph_store3(p->out + p->at[slot] + (p->row + row) * p->stride, a);
}

/* Rows stride apart */
PH_FN void ph_put_block(ph_real *out, int stride, ph_mat3 A)
{
    ph_store3(out, ph_v3(A.xx, A.xy, A.xz));
    ph_store3(out + stride, ph_v3(A.yx, A.yy, A.yz));
    ph_store3(out + 2 * stride, ph_v3(A.zx, A.zy, A.zz));
}

PH_FN void ph_put_mat(const ph_put *p, int slot, int row, ph_mat3 A)
{
    if (p->at[slot] < 0)
        return;
    ph_put_block(p->out + p->at[slot] + (p->row + row) * p->stride, p->stride, A);
}

PH_FN void ph_add_pair(const ph_put *p, int i, int j, ph_mat3 A)
{
    int at = p->at[4 * i + j], n = p->stride;
    if (at < 0)
        return;
    ph_real *o = p->out + at;
    o[0] += A.xx, o[1] += A.xy, o[2] += A.xz;
    o[n] += A.yx, o[n + 1] += A.yy, o[n + 2] += A.yz;
    o[2 * n] += A.zx, o[2 * n + 1] += A.zy, o[2 * n + 2] += A.zz;
}

PH_FN void ph_add3(ph_real *out, ph_vec3 a)
{
    out[0] += a.x, out[1] += a.y, out[2] += a.z;
}

PH_FN ph_vec3 ph_column(const ph_mat3 *A, int k)
{
    return k == 0   ? ph_v3(A->xx, A->yx, A->zx)
           : k == 1 ? ph_v3(A->xy, A->yy, A->zy)
                    : ph_v3(A->xz, A->yz, A->zz);
}

/* tilde(a) tilde(b) = b a^T - (a . b) I */
PH_FN ph_mat3 ph_tilde2(ph_vec3 a, ph_vec3 b)
{
    ph_real ab = ph_dot(a, b);
    return (ph_mat3){b.x * a.x - ab, b.x * a.y, b.x * a.z, b.y * a.x,     b.y * a.y - ab,
                     b.y * a.z,      b.z * a.x, b.z * a.y, b.z * a.z - ab};
}

/* Coordinates of a joint: PH_ALONG + k, PH_ABOUT + k of its frame, the length of a distance. */
enum { PH_NO_COORDINATE = -1, PH_ALONG = 0, PH_ABOUT = 3, PH_LENGTH = 6, PH_COORDINATES = 7 };
#define PH_CROSS                                                                                             \
    PH_COORDINATES /* among the bits of what is free: the two rotations are those of a cross, of (J14) */

/* ---- joints ------------------------------------------------------------------------------------- */

enum { PH_X = 1, PH_Y = 2, PH_Z = 4 }; /* picks of components in the joint frame */

/* A joint at one instant, as its parts see it. */
typedef struct ph_site {
    const ph_joint *j;
    ph_kin a, b;
    ph_real f[3];  /* value of the drive and its derivatives; 0 where there is none */
    unsigned pick; /* of the part: which components of the joint frame are rows, bits x y z */
} ph_site;

/* Sign of a component picked by bit k of pick: for (k = 0; k < 3; k++) if (ph_picked(pick, k)) ... */
PH_FN int ph_picked(unsigned pick, int k)
{
    return pick >> k & 1;
}

/* ---- forces ------------------------------------------------------------------------------------- */

/* How the mass of a beam is distributed. */
typedef enum ph_mass_code { PH_LUMPED_MASS, PH_LINEAR_MASS, PH_HELICOIDAL_MASS } ph_mass_code;

/* A force at one instant. */
typedef struct ph_force_site {
    const ph_force *f;
    ph_kin a, b;
    double t;
    int body_axes;  /* coordinates are those of SE(3), not the physical ones: what is asked for is in body
                                   axes, at fixed velocities in body axes; of forces that can do so */
    ph_real load;   /* factor of applied forces and torques */
    ph_real effort; /* of actuators: what is prescribed, times load; */
    int status;     /* a ph_status, of its function; and */
    ph_real turns;  /* what is added to the angle of its coordinate */
    const ph_real *lambda;        /* of the joint, for friction */
    ph_vec3 acc[PH_SLOTS];        /* of forces with inertia: physical accelerations that go with M */
    ph_vec3 gravity;              /* m/s^2, world, times the factor of loads */
    struct ph_body_state *bodies; /* all of them, where a function is called; NULL: all are traced */
    const struct ph_mechanism *m; /* of loads, for their functions */
    const struct ph_state *s;
} ph_force_site;

#endif
