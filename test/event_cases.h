/* Runs with events, from a path or a text. */
#ifndef PH_TEST_EVENT_CASES_H
#define PH_TEST_EVENT_CASES_H

#include "scratch.h"
#include "sim_cases.h"

#include "polhode/polhode.h"

#define MODELS PH_TEST_DIR "/../models/"

static inline ph_status try_path(ph_run **run, const char *path, const char *options, ph_error *err)
{
    char own[256];
    const char *list[16];
    ph_run_config c = ph_run_defaults();
    snprintf(own, sizeof own, "%s", options);
    for (char *o = strtok(own, " "); o; o = strtok(NULL, " "))
        list[c.n_options++] = o;
    c.options = list;
    return ph_run_open(run, path, &c, err);
}

static inline ph_run *open_path(const char *path, const char *options)
{
    ph_run *run;
    ph_error err = {0};
    if (try_path(&run, path, options, &err) != PH_OK)
        fail_msg("%s %s: %s", path, options, err.text);
    return run;
}

static inline ph_run *open_text(const char *text, const char *options)
{
    scratch s = scratch_create("events.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_path(s.path, options);
    scratch_remove(&s);
    return run;
}

static inline void go(ph_run *run, double t)
{
    ph_error err = {0};
    if (ph_run_until(run, t, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static inline double sensor(ph_run *run, const char *name)
{
    double x[PH_SENSOR_MAX];
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, name), x), PH_OK);
    return x[0];
}

/* The time of event number k of a name. */
static inline double time_of(const ph_run *run, const char *name, int k)
{
    int n, event = ph_run_find(run, PH_EVENTS, name);
    const ph_run_event *e = ph_run_events(run, &n);
    for (int i = 0; i < n; i++)
        if (e[i].event == event && k-- == 0)
            return e[i].t;
    fail_msg("event '%s' is missing", name);
    return NAN;
}

#endif
