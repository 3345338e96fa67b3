#!/bin/sh
# Creates the namespace unless it exists.
set -eu
until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" ||
  temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention 720h
