import { z } from 'zod';
import type { TestLab } from '../e2e/support/lab.ts';

/** A node as Ironic knows it. */
export interface NodeNow {
  readonly id: string;
  readonly host: string;
  readonly state: string;
  /** URL of the image, '' for none. */
  readonly image: string;
}

const nodes = z.object({
  nodes: z.array(
    z.looseObject({
      uuid: z.string(),
      name: z.string().nullable(),
      provision_state: z.string(),
      instance_info: z.looseObject({ image_source: z.string().optional() }),
    }),
  ),
});

/** All nodes of Ironic, requested without the proxy. */
export async function nodesNow({ endpoints }: Pick<TestLab, 'endpoints'>): Promise<readonly NodeNow[]> {
  const answer = await fetch(new URL('nodes?fields=uuid,name,provision_state,instance_info', endpoints.ironicDirect), {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  return nodes
    .parse(await answer.json())
    .nodes.map(({ uuid: id, name, provision_state: state, instance_info: info }) => ({
      id,
      host: name?.split('~').at(-1) ?? '',
      state,
      image: info.image_source ?? '',
    }));
}
