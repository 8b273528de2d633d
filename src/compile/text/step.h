/* One step: Newton's method for the equations (N2), each member until it has converged, and what is kept of it.
 *
 * The model gives ph_predict, ph_increment and ph_increment_kept (the increment x at the present theta and lambda, with the
 * Jacobian there or with an earlier one), ph_correct and ph_move. As in the library, a step has one Jacobian, that of the first
 * iterate. Members that it does not serve go back to the first guess and have one in every iteration. */
#ifndef PH_COMPILE_STEP_H
#define PH_COMPILE_STEP_H

#define PH_LEFT_KEPT 0.01  /* of the tolerance: what a Jacobian that was kept may leave */
#define PH_CUTS      40    /* iterations whose increments are cut (CT8), before they count */
#define PH_DRIFT     1e-13 /* of velocities: what a step may leave of their violation */

/* Increments of members that are full with a Jacobian of their own, of others with the kept one. */
PH_COLD void ph_increment_mixed(const PH_MODEL *s, ph_work *W, ph_factors *F, ph_mask full)
{
    ph_work V = *W;
    ph_factors own;
    ph_increment(s, &V, &own);
    ph_increment_kept(s, W, F);
    for (int i = 0; i < PH_N; i++)
        W->x[i] = ph_select(full, V.x[i], W->x[i]);
    for (int i = 0; i < PH_TURNS; i++)
        F->Tinv[i] = ph_mselect(full, own.Tinv[i], F->Tinv[i]);
}

/* Members that are slow go back to the first guess. */
PH_COLD void ph_go_back(const PH_MODEL *s, ph_work *W, ph_mask slow)
{
    ph_work V;
    V.s = s, V.t = W->t;
    ph_predict(s, &V);
    for (int i = 0; i < PH_NV; i++) {
        W->theta[i] = ph_select(slow, V.theta[i], W->theta[i]);
#if PH_ETA
        W->y[i] = ph_select(slow, V.y[i], W->y[i]);
#endif
    }
    for (int i = 0; i < PH_NL; i++)
        W->lambda[i] = ph_select(slow, V.lambda[i], W->lambda[i]);
}

/* Whether violations of velocities, and the forces that the increment of lambda makes, are small enough with a kept Jacobian. */
PH_FN ph_mask ph_settled(const ph_work *W, ph_real rate, ph_real last_drift)
{
    ph_real next = ph_select(rate < PH_RATE_TRUSTED, rate / (1 - rate), ph_k(1));
    ph_mask ok = (W->pull[0] * next <= W->bound[0]) & (W->pull[1] * next <= W->bound[1]);
    if (PH_RATES)
        ok = ok & (W->drift * W->drift <= PH_DRIFT * last_drift * ph_most(ph_k(0), W->v, PH_NV));
    return ok;
}

/* Cut the increments of members whose friction would jump over rest (CT8); which members those are. */
PH_FN ph_mask ph_cut(const PH_MODEL *s, ph_work *W, ph_mask active)
{
#if PH_FRICTION
    ph_real kappa = ph_kappa(s, W);
    ph_mask cut = active & (kappa < 1);
    for (int i = 0; i < PH_N; i++)
        W->x[i] = ph_select(cut, kappa * W->x[i], W->x[i]);
    return cut;
#else
    (void)s, (void)W;
    return active & ph_not(active);
#endif
}

/* Members that have not converged; the new point of the others is in W. */
PH_FN ph_mask ph_newton(const PH_MODEL *s, ph_work *W)
{
    ph_factors F;
    ph_real last = ph_k(1), last_drift = ph_k(0), huge = ph_k(HUGE_VAL);
    ph_mask active = huge > 0, failed = huge < 0, full = PH_FULL ? active : failed, first = active;
    W->iterations = ph_k(0);
    for (int k = 1, most = PH_MAX_ITERATIONS; k <= most && ph_any(active); k++) {
        if (PH_FULL || k == 1 || !ph_any(active & ph_not(full)))
            ph_increment(s, W, &F);
        else if (PH_LANES == 1 || !ph_any(active & full))
            ph_increment_kept(s, W, &F);
        else
            ph_increment_mixed(s, W, &F, full);
        ph_mask cut = ph_cut(s, W, active);
        most += most < PH_MAX_ITERATIONS + PH_CUTS && ph_any(cut);
        ph_real size = ph_correct(W, &F, active), rate = ph_select(first, ph_k(1), size / last);
        ph_mask exact = full | first, bad = exact & ph_not(size < huge), done;
        W->iterations = ph_select(active, ph_k(k), W->iterations);
        done = exact & ((size <= 1) | ((rate < PH_RATE_TRUSTED) & (size * rate * rate <= 1)));
        bad = bad | (full & (size > 1e3 * last) & (size > 1e6) & (rate > 1));
        if (!PH_FULL && k > 1) {
            ph_real left = ph_select(rate < PH_RATE_TRUSTED, size * rate / (1 - rate), size);
            ph_mask kept = (left <= PH_LEFT_KEPT) & ph_settled(W, rate, last_drift);
            if (k > 3) /* round-off */
                kept = kept | (size <= 1);
            done = done | (ph_not(exact) & kept);
        }
        done = done & ph_not(cut), full = full | cut;
        failed = failed | (active & bad) | (active & done & ph_loose(W));
        active = active & ph_not(done | bad);
        first = cut; /* nothing is known of the convergence from here */
        last = size, last_drift = PH_RATES ? W->drift : last_drift;
        ph_mask slow = active & ph_not(exact | (rate <= PH_RATE_STEP) | (size <= 1));
        if (!PH_FULL && ph_any(slow)) {
            ph_go_back(s, W, slow);
            full = full | slow, first = first | slow;
        }
    }
    return failed | active;
}

/* The new point, of all members. */
PH_FN void ph_take(PH_MODEL *s, const ph_work *W)
{
    for (int i = 0; i < PH_NV; i++) {
        s->a[i] = PH_A_1 * W->vdot[i] + PH_A_0 * s->vdot[i] + PH_A_A * s->a[i];
        s->last_vdot[i] = s->vdot[i];
        s->v[i] = W->v[i], s->vdot[i] = W->vdot[i];
    }
    for (int i = 0; i < PH_NL; i++)
        s->last_lambda[i] = s->lambda[i], s->lambda[i] = W->lambda[i];
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = W->q[i];
    s->slope = ph_k(1), s->t = W->t, s->steps = s->steps + 1, s->iterations = W->iterations;
    ph_keep_inputs(s, s->t == s->t);
    ph_track(s, s->t == s->t);
}

PH_FN unsigned ph_step(PH_MODEL *s)
{
    ph_work W;
    ph_mask failed = ph_jump(s);
    W.s = s, W.t = PH_T0 + (s->steps + 1) * PH_H;
    ph_predict(s, &W);
    failed = failed | ph_newton(s, &W);
    ph_move(s, &W);
    ph_remember(s, &W, failed);
    if (!ph_any(failed)) {
        ph_take(s, &W);
        return 0;
    }
    ph_real slope = ph_select(failed, s->slope, ph_k(1));
    for (int i = 0; i < PH_NV; i++) {
        ph_real a = PH_A_1 * W.vdot[i] + PH_A_0 * s->vdot[i] + PH_A_A * s->a[i];
        s->last_vdot[i] = ph_select(failed, s->last_vdot[i], s->vdot[i]);
        s->a[i] = ph_select(failed, s->a[i], a);
        s->v[i] = ph_select(failed, s->v[i], W.v[i]);
        s->vdot[i] = ph_select(failed, s->vdot[i], W.vdot[i]);
    }
    for (int i = 0; i < PH_NL; i++) {
        s->last_lambda[i] = ph_select(failed, s->last_lambda[i], s->lambda[i]);
        s->lambda[i] = ph_select(failed, s->lambda[i], W.lambda[i]);
    }
    for (int i = 0; i < PH_NQ; i++)
        s->q[i] = ph_select(failed, s->q[i], W.q[i]);
    s->slope = slope;
    s->t = ph_select(failed, s->t, W.t);
    s->steps = ph_select(failed, s->steps, s->steps + 1);
    s->iterations = W.iterations;
    ph_keep_inputs(s, ph_not(failed));
    ph_track(s, ph_not(failed));
    return ph_bits(failed);
}

#endif
