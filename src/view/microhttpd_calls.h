/* GNU libmicrohttpd, loaded when a page is to be served; server.c alone includes this. */
#ifndef PH_VIEW_MICROHTTPD_CALLS_H
#define PH_VIEW_MICROHTTPD_CALLS_H

#include <microhttpd.h>

#include "base/shared.h"

/* clang-format off */
#define NAMES(X) \
    X(MHD_start_daemon) X(MHD_stop_daemon) X(MHD_run_wait) X(MHD_get_daemon_info) X(MHD_lookup_connection_value) \
    X(MHD_create_response_from_buffer) X(MHD_create_response_from_callback) X(MHD_add_response_header) \
    X(MHD_queue_response) X(MHD_destroy_response) X(MHD_suspend_connection) X(MHD_resume_connection)
/* clang-format on */

static struct {
    NAMES(PH_CALL_MEMBER)
} microhttpd; /* constant once it is loaded */

static int load_microhttpd(void) /* 0: it is not there */
{
    static const char *const names[] = {NAMES(PH_CALL_NAME) NULL};
    return ph_shared_load(PH_MICROHTTPD_FILE, 0, names, &microhttpd) != PH_SHARED_NONE;
}

#define MHD_start_daemon                  microhttpd.MHD_start_daemon
#define MHD_stop_daemon                   microhttpd.MHD_stop_daemon
#define MHD_run_wait                      microhttpd.MHD_run_wait
#define MHD_get_daemon_info               microhttpd.MHD_get_daemon_info
#define MHD_lookup_connection_value       microhttpd.MHD_lookup_connection_value
#define MHD_create_response_from_buffer   microhttpd.MHD_create_response_from_buffer
#define MHD_create_response_from_callback microhttpd.MHD_create_response_from_callback
#define MHD_add_response_header           microhttpd.MHD_add_response_header
#define MHD_queue_response                microhttpd.MHD_queue_response
#define MHD_destroy_response              microhttpd.MHD_destroy_response
#define MHD_suspend_connection            microhttpd.MHD_suspend_connection
#define MHD_resume_connection             microhttpd.MHD_resume_connection

#endif
