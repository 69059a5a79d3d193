# shellcheck shell=bash
# The environment of a machine with NPUs. What is set already is kept.

for set_env in \
    "${ASCEND_HOME:-/usr/local/Ascend}/set_env.sh" \
    /usr/local/Ascend/cann/set_env.sh \
    /usr/local/Ascend/ascend-toolkit/set_env.sh \
    /usr/local/Ascend/nnae/set_env.sh; do
    if [ -f "$set_env" ]; then
        # shellcheck source=/dev/null
        source "$set_env"
        break
    fi
done
if [ -f /usr/local/Ascend/tfplugin/set_env.sh ]; then
    # shellcheck source=/dev/null
    source /usr/local/Ascend/tfplugin/set_env.sh
fi

export JOB_ID="${JOB_ID:-9999001}"
export ASCEND_GLOBAL_LOG_LEVEL="${ASCEND_GLOBAL_LOG_LEVEL:-3}"
export ASCEND_SLOG_PRINT_TO_STDOUT="${ASCEND_SLOG_PRINT_TO_STDOUT:-0}"
# ranks wait for the slowest to compile its graph
export HCCL_CONNECT_TIMEOUT="${HCCL_CONNECT_TIMEOUT:-600}"
export PYTHONUNBUFFERED=1@TUNING@
