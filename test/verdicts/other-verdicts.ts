interface OtherVerdict {
  readonly name: string;
  readonly accepted: boolean;
  /** Row of a page of conformance that says why. */
  readonly row: string;
}

const ofLabelRules = (path: string): readonly OtherVerdict[] => [
  { name: `${path}: two items of one key`, accepted: true, row: 'm3-C163' },
  // Refused for one reason instead of two: a list has no key either.
  { name: `${path}[]: a list`, accepted: false, row: 'm3-C163' },
];

/** Manifests of which our CRDs judge otherwise than upstream's, by kind. */
export const OTHER_VERDICTS: Readonly<Record<string, readonly OtherVerdict[]>> = {
  Metal3Machine: ofLabelRules('spec.hostSelector.matchExpressions'),
  Metal3MachineTemplate: ofLabelRules('spec.template.spec.hostSelector.matchExpressions'),
};
