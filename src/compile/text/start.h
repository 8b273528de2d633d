/* Starting values from q and v: consistent ones, accelerations and multipliers (S0), and those of the method (S1)-(S3) of
 * docs/theory.md. The model gives ph_start_system, which solves [M B^T; B 0] (x, m) = right-hand side. */
#ifndef PH_COMPILE_START_H
#define PH_COMPILE_START_H

/* Violations up to this size, relative to positions or velocities, are taken as consistent; what iterations reach. */
#define PH_CONSISTENT 1e-9
#define PH_REACHED    1e-13

/* q o exp(x), node by node */
PH_FN void ph_shift(const ph_real *q, const ph_real *x, ph_real *out)
{
    for (int i = 0; i < PH_NODES; i++) {
        const int *at = ph_node[i];
        if (at[2]) {
            ph_vec3 w = ph_load3(x + at[1]);
            ph_quat_store(out + at[0],
                          ph_quat_fix(ph_qmul(ph_quat_load(q + at[0]), ph_so3_exp(ph_stumpff_of(w), w))));
        }
        for (int k = 0; k < at[3] && !at[2]; k++)
            out[at[0] + k] = q[at[0] + k] + x[at[1] + k];
    }
}

/* Move q or v until the constraints hold; members that are consistent stay. */
PH_COLD ph_mask ph_project(ph_work *W, int what)
{
    ph_real x[PH_NV + PH_NL], last = ph_k(HUGE_VAL);
    ph_mask moves = last<0, first = last> 0;
    for (int k = 0; k < 30; k++) {
        ph_start_system(W->s, W, what, NULL, x);
        ph_real size = what == PH_POSITIONS ? W->violation[0] : W->violation[1];
        if (k == 0)
            moves = first & ph_not(size <= PH_CONSISTENT);
        else
            moves = moves & ph_not((size <= PH_REACHED) | ((k > 2) & (size <= 1e-11) & (size >= 0.5 * last)));
        if (!ph_any(moves))
            return moves;
        for (int i = 0; i < PH_NV; i++) {
            x[i] = ph_select(moves, x[i], ph_k(0));
            if (what == PH_VELOCITIES)
                W->v[i] += x[i];
        }
        if (what == PH_POSITIONS)
            ph_shift(W->q, x, W->q);
        last = size;
    }
    return moves;
}

/* With friction, until the multipliers stay. */
PH_COLD void ph_accelerate(ph_work *W)
{
    ph_real x[PH_NV + PH_NL];
    for (int k = 0; k < (PH_FRICTION ? 30 : 1); k++) {
        ph_real change = ph_k(0);
        ph_start_system(W->s, W, PH_ACCELERATIONS, NULL, x);
        for (int i = 0; i < PH_NV; i++)
            W->vdot[i] = x[i];
        for (int i = 0; i < PH_NL; i++) {
            change = ph_larger(change, ph_abs(x[PH_NV + i] - W->lambda[i]));
            W->lambda[i] = x[PH_NV + i];
        }
        if (ph_all(change <= 1e-14 * ph_most(ph_k(0), W->lambda, PH_NL)))
            return;
    }
}

/* vdot of the motion at t + d, to second order in d */
PH_COLD void ph_look_along(const ph_work *now, double d, ph_real *vdot)
{
    ph_work W = *now;
    ph_real x[PH_NV];
    for (int i = 0; i < PH_NV; i++) {
        x[i] = d * now->v[i] + 0.5 * d * d * now->vdot[i];
        W.v[i] = now->v[i] + d * now->vdot[i];
    }
    W.t = now->t + d;
    ph_shift(now->q, x, W.q);
    ph_accelerate(&W);
    for (int i = 0; i < PH_NV; i++)
        vdot[i] = W.vdot[i];
}

/* d(vdot)/dt by differences along the motion (S1), after a jump on its side alone */
PH_COLD void ph_jerk(const ph_work *now, int after, ph_real *vddot)
{
    ph_real there[PH_NV];
    ph_look_along(now, PH_H, vddot);
    ph_look_along(now, after ? 0.5 * PH_H : -PH_H, there);
    for (int i = 0; i < PH_NV; i++)
        vddot[i] =
            after ? (4 * there[i] - 3 * now->vdot[i] - vddot[i]) / PH_H : (vddot[i] - there[i]) / (2 * PH_H);
}

/* F e of (RB1): what a step that does not leave the start answers to a force M e. first: the matrix is to be found */
PH_COLD void ph_filter(ph_work *W, ph_factors *F, int first, const ph_work *now, ph_real *e)
{
    for (int i = 0; i < PH_NV; i++)
        W->c[i] = now->vdot[i] - PH_EPS * now->v[i] - e[i] / PH_S;
    if (first)
        ph_increment(now->s, W, F);
    else
        ph_increment_kept(now->s, W, F);
    for (int i = 0; i < PH_NV; i++)
        e[i] = W->x[i];
}

/* (RB2) from a = vdot_0 + d, for members that are stiff; the state has q and v of now. */
PH_COLD void ph_damp(ph_work *now, ph_real *a)
{
    ph_work W;
    ph_factors F;
    ph_real e[PH_NV], x[PH_NV + PH_NL];
    W.s = now->s, W.t = now->t;
    ph_predict(now->s, &W);
    W.still = 1;
    for (int i = 0; i < PH_NV; i++) {
        W.theta[i] = ph_k(0), W.w[i] = now->v[i];
        e[i] = a[i] - 2 * now->vdot[i];
    }
    for (int i = 0; i < PH_NL; i++)
        W.lambda[i] = now->lambda[i];
    ph_filter(&W, &F, 1, now, e);
    ph_mask stiff = (W.stiff > PH_STIFF) & (W.stiff < HUGE_VAL);
    if (!ph_any(stiff))
        return;
    for (int i = 0; i < PH_NV; i++)
        e[i] = e[i] + 2 * now->vdot[i];
    ph_filter(&W, &F, 0, now, e);
    for (int i = 0; i < PH_NV; i++)
        W.c[i] = a[i] - e[i]; /* taken */
    ph_start_system(now->s, now, PH_GIVE_BACK, W.c, x);
    for (int i = 0; i < PH_NV; i++)
        a[i] = ph_select(stiff, e[i] + x[i], a[i]);
}

/* (S2) or (RB2), and (S3) if only positions are constrained */
PH_COLD void ph_perturb(ph_work *W, int after, ph_real *a)
{
    ph_real vddot[PH_NV], l[PH_NV], x[PH_NV + PH_NL];
    ph_jerk(W, after, vddot);
    for (int i = 0; i < PH_NV; i++) {
        a[i] += PH_SHIFT * vddot[i];
        l[i] = PH_L_Q * vddot[i];
    }
    ph_damp(W, a);
    if (!PH_BY_POSITION)
        return;
    for (int i = 0; i < PH_NODES; i++) {
        ph_real *at = l + ph_node[i][1];
        if (!ph_node[i][2])
            continue;
        ph_vec3 v = ph_load3(W->v + ph_node[i][1]), vdot = ph_load3(W->vdot + ph_node[i][1]);
        ph_store3(at, ph_add(ph_load3(at), ph_cross(ph_scale(ph_k(PH_L_LIE), v), vdot)));
    }
    ph_start_system(W->s, W, PH_LIFT, l, x);
    for (int i = 0; i < PH_NV; i++)
        W->v[i] += x[i];
}

/* Start anew from q and v at time t, after a jump or not, the members that are asked for; those that fail. */
PH_COLD ph_mask ph_begin(PH_MODEL *s, ph_real t, int after, ph_mask which)
{
    ph_work W;
    ph_real a[PH_NV];
    W.s = s, W.t = t;
    for (int i = 0; i < PH_NQ; i++)
        W.q[i] = s->q[i];
    for (int i = 0; i < PH_NV; i++)
        W.v[i] = s->v[i], W.vdot[i] = ph_k(0);
    for (int i = 0; i < PH_NL; i++)
        W.lambda[i] = ph_k(0);
    ph_mask failed = ph_project(&W, PH_POSITIONS) | ph_project(&W, PH_VELOCITIES);
    ph_accelerate(&W);
    for (int i = 0; i < PH_NV; i++)
        a[i] = W.vdot[i];
    if (PH_PERTURBED) { /* the step that (RB2) takes starts from the state */
        ph_real q[PH_NQ];
        for (int i = 0; i < PH_NQ; i++)
            q[i] = s->q[i], s->q[i] = W.q[i];
        ph_perturb(&W, after, a);
        for (int i = 0; i < PH_NQ; i++)
            s->q[i] = q[i];
    }
    ph_real none = ph_k(0), finite = ph_most(none, W.q, PH_NQ) + ph_most(none, W.v, PH_NV) +
                                     ph_most(none, a, PH_NV) + ph_most(none, W.lambda, PH_NL);
    failed = failed | ph_not(finite < HUGE_VAL) | ph_not(which);
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = ph_select(failed, s->q[i], W.q[i]);
    for (int i = 0; i < PH_NV; i++) {
        s->v[i] = ph_select(failed, s->v[i], W.v[i]);
        s->a[i] = ph_select(failed, s->a[i], a[i]);
        s->vdot[i] = s->last_vdot[i] = ph_select(failed, s->vdot[i], W.vdot[i]);
    }
    for (int i = 0; i < PH_NL; i++)
        s->lambda[i] = s->last_lambda[i] = ph_select(failed, s->lambda[i], W.lambda[i]);
    s->slope = ph_select(failed, s->slope, ph_k(0));
    return failed & which;
}

/* Start anew at the initial time; those that fail are as before. */
PH_COLD ph_mask ph_restarted(PH_MODEL *s)
{
    ph_real kept[PH_TURNS_COUNTED + 1][3];
    ph_numbers(s);
    for (int i = 0; i < PH_TURNS_COUNTED; i++)
        for (int k = 0; k < 3; k++)
            kept[i][k] = s->turns[i][k], s->turns[i][k] = ph_k(k < 2 ? 0 : PH_T0);
    ph_mask failed = ph_begin(s, ph_k(PH_T0), PH_FROM_START, s->t == s->t);
    for (int i = 0; i < PH_TURNS_COUNTED; i++)
        for (int k = 0; k < 3; k++)
            s->turns[i][k] = ph_select(failed, kept[i][k], s->turns[i][k]);
    s->t = ph_select(failed, s->t, ph_k(PH_T0));
    s->steps = ph_select(failed, s->steps, ph_k(0));
    s->iterations = ph_k(0);
    ph_keep_inputs(s, ph_not(failed));
    ph_track(s, ph_not(failed));
    return failed;
}

PH_COLD unsigned ph_restart(PH_MODEL *s)
{
    return ph_bits(ph_restarted(s));
}

#ifdef PH_INITIAL
/* The same from the initial values of the model at the present parameters. */
PH_COLD unsigned ph_begin_anew(PH_MODEL *s)
{
    ph_real q[PH_NQ], v[PH_NV];
    for (int i = 0; i < PH_NQ; i++)
        q[i] = s->q[i];
    for (int i = 0; i < PH_NV; i++)
        v[i] = s->v[i];
    ph_initial(s);
    ph_mask failed = ph_restarted(s);
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = ph_select(failed, q[i], s->q[i]);
    for (int i = 0; i < PH_NV; i++)
        s->v[i] = ph_select(failed, v[i], s->v[i]);
    return ph_bits(failed);
}
#endif

/* An input that jumps changes accelerations at once: before the first step any, later those that are steps. */
PH_FN ph_mask ph_jump(PH_MODEL *s)
{
    ph_mask jumps = ph_jumps(s), failed = s->t != s->t;
    if (PH_INPUTS && ph_any(jumps))
        failed = ph_begin(s, s->t, 1, jumps);
    return failed;
}

#endif
