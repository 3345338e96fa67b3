#!/bin/sh
# Builds the operators of Metal3, whose work Temper takes over, from checkouts of their sources.
#
#   lab/upstream/build.sh SOURCES FOLDER
#
# SOURCES has baremetal-operator, cluster-api-provider-metal3 and ip-address-manager. FOLDER gets a folder of the same
# name for each: program and manifests, with the names that they have in the images, because managedFields show them.
# Needs Go, a C compiler (baremetal-operator loads Ironic as a Go plugin) and kubectl.
set -eu
sources=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)

build() {
  name=$1
  kustomization=$2
  shift 2
  mkdir -p "$folder/$name"
  echo "$name: $*" >&2
  (cd "$sources/$name" && GOWORK=off go build -trimpath -ldflags '-s -w' "$@")
  kubectl kustomize "$sources/$name/$kustomization" >"$folder/$name/components.yaml"
}

# Program and plugin need the same flags.
export CGO_ENABLED=1
build baremetal-operator config/base -o "$folder/baremetal-operator/baremetal-operator" .
build baremetal-operator config/base -buildmode=plugin \
  -o "$folder/baremetal-operator/ironic-provisioner.so" ./pkg/provisioner/ironic/plugin
export CGO_ENABLED=0
build ip-address-manager config/default -o "$folder/ip-address-manager/manager" .
build cluster-api-provider-metal3 config/default -o "$folder/cluster-api-provider-metal3/manager" .
