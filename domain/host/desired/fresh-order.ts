import type { BareMetalHost, RootDeviceHints } from '../../../api/baremetalhost/types.ts';
import type { NodeOrder, PowerOrder, PrepareOrder, ProvisionOrder } from '../../ironic/orders.ts';
import type { HostMemory } from '../memory/memory.ts';
import { attemptOf } from './attempt.ts';
import { preparedHints } from './preparation.ts';
import { deploymentData, nodeSettings, wantedBootMode, wantedImage } from './wishes.ts';

/**
 * Orders with the fields of the BareMetalHost as it is in the API server now. An order may come from a restored
 * Temporal, a reset run or a forged message. `objection` compares what makes it another order; the rest is replaced.
 */

/** The order with the settings of the host. The architecture may be known from an inspection alone. */
export function freshOrder<Order extends NodeOrder>(host: BareMetalHost, order: Order): Order {
  const { image: _, customDeployMethod: __, ...rest } = order;
  const { architecture } = host.spec;
  return { ...rest, ...(architecture && { architecture }), ...nodeSettings(seenOf(host)) } as Order;
}

/** A preparation, on the disks that the host names, by the BMC that it has. */
export function freshPreparation(host: BareMetalHost, order: PrepareOrder): PrepareOrder {
  return withHints(freshOrder(host, order), hintsOf(host));
}

/**
 * A deployment of the host's image with its data, on the disk that the host names. A host without a hardware profile has
 * the hints that another controller has chosen.
 */
export function freshDeployment(host: BareMetalHost, order: ProvisionOrder): ProvisionOrder {
  const { image: _, userData: __, metaData: ___, networkData: ____, attempt: _____, ...rest } = freshOrder(host, order);
  const { spec, status } = host;
  const now = { seen: seenOf(host) };
  const image = wantedImage(now);
  const hints = status?.hardwareProfile === undefined ? status?.provisioning.rootDeviceHints : hintsOf(host);
  const bootMode = status?.provisioning.bootMode ?? wantedBootMode(now);
  const attempt = attemptOf({ seen: { uid: order.host.uid, spec }, status: status ?? {} });
  const deployment = {
    ...rest,
    bootMode,
    ...(image !== undefined && { image }),
    ...deploymentData(spec),
    ...(attempt !== undefined && { attempt }),
  };
  return withHints(deployment, hints);
}

/** A change of power: cleaning may be aborted for it only if the host wants none. */
export function freshPower({ spec }: BareMetalHost, order: PowerOrder): PowerOrder {
  const { cleaningDisabled: _, ...rest } = order;
  return { ...rest, ...(spec.automatedCleaningMode === 'disabled' && { cleaningDisabled: true }) };
}

const seenOf = ({
  metadata: { annotations = {} },
  spec,
}: BareMetalHost): Pick<HostMemory['seen'], 'spec' | 'annotations'> => ({
  spec,
  annotations,
});

const hintsOf = (host: BareMetalHost): RootDeviceHints | undefined =>
  preparedHints({ seen: seenOf(host), status: host.status ?? {} });

function withHints<Order extends Pick<PrepareOrder, 'rootDeviceHints'>>(
  order: Order,
  hints: RootDeviceHints | undefined,
): Order {
  const { rootDeviceHints: _, ...rest } = order;
  return { ...rest, ...(hints !== undefined && { rootDeviceHints: hints }) } as Order;
}
