/* MPI, loaded when ranks were started; pool_mpi.c alone includes this. Handles are constants with MPICH and its
 * relatives, and addresses of variables with Open MPI. */
#ifndef PH_STUDY_MPI_CALLS_H
#define PH_STUDY_MPI_CALLS_H

#include <mpi.h>

#include "base/shared.h"

#ifdef OPEN_MPI
#define HANDLES(X) X(ompi_mpi_comm_world) X(ompi_mpi_byte) X(ompi_mpi_int)
#else
#define HANDLES(X)
#endif

/* clang-format off */
#define NAMES(X) \
    X(MPI_Abort) X(MPI_Bcast) X(MPI_Comm_rank) X(MPI_Comm_size) X(MPI_Finalize) X(MPI_Gather) X(MPI_Init) \
    X(MPI_Iprobe) X(MPI_Recv) X(MPI_Send) HANDLES(X)
/* clang-format on */

static struct {
    NAMES(PH_CALL_MEMBER)
} mpi; /* constant once it is loaded */

static int load_mpi(void) /* 0: it is not there */
{
    static const char *const names[] = {NAMES(PH_CALL_NAME) NULL};
    return ph_shared_load(PH_MPI_FILE, 1, names, &mpi) != PH_SHARED_NONE;
}

#define MPI_Abort           mpi.MPI_Abort
#define MPI_Bcast           mpi.MPI_Bcast
#define MPI_Comm_rank       mpi.MPI_Comm_rank
#define MPI_Comm_size       mpi.MPI_Comm_size
#define MPI_Finalize        mpi.MPI_Finalize
#define MPI_Gather          mpi.MPI_Gather
#define MPI_Init            mpi.MPI_Init
#define MPI_Iprobe          mpi.MPI_Iprobe
#define MPI_Recv            mpi.MPI_Recv
#define MPI_Send            mpi.MPI_Send
#define ompi_mpi_comm_world (*mpi.ompi_mpi_comm_world)
#define ompi_mpi_byte       (*mpi.ompi_mpi_byte)
#define ompi_mpi_int        (*mpi.ompi_mpi_int)

#endif
