# shellcheck shell=dash
# What happens when the library is run as a file: a job's process.

case ${0##*/}:${1-} in
  lib.*:job)
    KX_STATE=$3 KX_RUN=$4
    kx_env
    kx_job_main "$2"
    exit
    ;;
esac
