/** Manifests that upstream's CRDs refuse and ours accept, by kind, with the row of a page of conformance that says why. */
export const ACCEPTED_HERE: Readonly<Record<string, readonly { readonly name: string; readonly row: string }[]>> = {
  Metal3Machine: [{ name: 'spec.hostSelector.matchExpressions: two items of one key', row: 'm3-C163' }],
  Metal3MachineTemplate: [
    { name: 'spec.template.spec.hostSelector.matchExpressions: two items of one key', row: 'm3-C163' },
  ],
};
