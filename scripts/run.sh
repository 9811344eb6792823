#!/usr/bin/env bash
# Sets up what is missing, builds the release program, and does the main job on a built-in network: searches the
# training plans of ResNet-18 on the quad-core edge accelerator, prints them against the baselines, and says where
# the files are. Arguments (without any: --batch 8) are handed on to `paretrain optimize`; the folder is $RUN_FOLDER, or a new one in runs/.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release >&2
cmake --build --preset release --target paretrain >&2

folder=${RUN_FOLDER:-}
if [ -z "$folder" ]; then
  number=1
  while [ -e "runs/resnet18-edge-tpu-quad-$number" ]; do number=$((number + 1)); done
  folder=runs/resnet18-edge-tpu-quad-$number
fi
options=("$@")
[ ${#options[@]} -gt 0 ] || options=(--batch 8)
build/release/paretrain optimize resnet18 --accelerator edge-tpu-quad --max-seconds 55 -o "$folder" "${options[@]}"

cat <<TEXT

The result is in $folder:
  report.html    the front to point at        pareto.svg     its picture
  front.csv      the plans                    baselines.csv  what they are measured against
  history.csv    how the search went          manifest.json  inputs, options, program
Next:  build/release/paretrain pick $folder --knee
       build/release/paretrain resume $folder --generations 500
TEXT
