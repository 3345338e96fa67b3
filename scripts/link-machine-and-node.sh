#!/bin/sh
# Names the Node of a Machine of the Machine API in its status: link-machine-and-node.sh MACHINE NODE
# With Temper nobody needs it: the Node of a Machine is found by the addresses of its host. It helps where these differ.
# kubectl uses the current context and its namespace; KUBECTL names another program.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: $0 MACHINE NODE" >&2
  exit 2
fi
machine=$1
node=$2
kubectl=${KUBECTL:-kubectl}

uid=$("$kubectl" get node "$node" -o 'jsonpath={.metadata.uid}')
for kind in machines.machine.openshift.io machines.cluster.k8s.io; do
  if "$kubectl" get "$kind" "$machine" >/dev/null 2>&1; then
    "$kubectl" patch "$kind" "$machine" --subresource=status --type=merge \
      -p "{\"status\":{\"nodeRef\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"$node\",\"uid\":\"$uid\"}}}"
    exit 0
  fi
done
echo "there is no Machine $machine in this namespace" >&2
exit 1
