import { z } from 'zod';
import { lenientFlag, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { DataFacts } from '../../domain/data/objects.ts';
import type { MachineDataSeen } from '../../domain/machine/memory/snapshot.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { metadata, reference } from './metadata.ts';

const metal3Data = z.object({
  metadata,
  spec: orEmpty({
    index: z.number().int().catch(0),
    template: reference,
    claim: reference,
    metaData: reference,
    networkData: reference,
  }),
  status: orEmpty({ ready: lenientFlag, errorMessage: maybeText }),
});
export type Metal3DataRead = z.infer<typeof metal3Data>;

export const readMetal3Data = once((object): Metal3DataRead => metal3Data.parse(object));

/** The fields on which its rendering depends. */
export function dataFacts({ metadata: { namespace, name, uid }, spec }: Metal3DataRead): DataFacts {
  const { index, template, claim, metaData, networkData } = spec;
  return {
    namespace,
    name,
    uid,
    index,
    template,
    claim,
    secrets: { metaData: metaData?.name, networkData: networkData?.name },
  };
}

/** The fields that its Metal3Machine uses. */
export function dataSeen({ metadata, spec, status }: Metal3DataRead): MachineDataSeen {
  const { metaData, networkData } = spec;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    ready: status.ready,
    ...(metaData && { metaData }),
    ...(networkData && { networkData }),
    ...(status.errorMessage && { errorMessage: status.errorMessage }),
  };
}

export const dataByTemplateName = byName(KINDS.data, ({ object }) => readMetal3Data(object).spec.template?.name);
export const dataByClaim = byName(KINDS.data, ({ object }) => readMetal3Data(object).spec.claim?.name);
export const dataByCluster = byName(
  KINDS.data,
  ({ object }) => readMetal3Data(object).metadata.labels[CLUSTER_LABELS.clusterName],
);

/** Metal3Data by the Secrets to which they are rendered. */
export const dataBySecret = byName(KINDS.data, ({ object }) => {
  const { metaData, networkData } = readMetal3Data(object).spec;
  return [metaData?.name, networkData?.name];
});
