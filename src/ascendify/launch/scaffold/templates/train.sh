#!/usr/bin/env bash
@NOTE@# @WHAT@: bash @NAME@@EXAMPLE@
# shellcheck source-path=SCRIPTDIR
set -eo pipefail
# shellcheck source=@ABOVE@common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/@ABOVE@common.sh"
train @KIND@ @DEVICES@ "$@"
