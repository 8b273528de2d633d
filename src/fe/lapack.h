/* The routines of LAPACK that we call: Fortran, all arguments by address, matrices column by column. */
#ifndef PH_FE_LAPACK_H
#define PH_FE_LAPACK_H

void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dpbtrf_(const char *uplo, const int *n, const int *kd, double *A, const int *lda, int *info);
void dpbtrs_(const char *uplo, const int *n, const int *kd, const int *m, const double *A, const int *lda,
             double *B, const int *ldb, int *info);
void dpbcon_(const char *uplo, const int *n, const int *kd, const double *A, const int *lda,
             const double *norm, double *rcond, double *work, int *iwork, int *info);
void dsygvd_(const int *type, const char *jobz, const char *uplo, const int *n, double *A, const int *lda,
             double *B, const int *ldb, double *w, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);

#endif
