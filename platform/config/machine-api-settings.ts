import { z } from 'zod';
import type { DefaultDeployment } from '../../domain/machine-api/provider-spec.ts';
import { optionalText } from './config-values.ts';
import type { WithControllers } from './controllers.ts';

/** A URL without secrets: it goes into the history of a workflow, which cannot read it from the Machine. */
const openUrl = z
  .url()
  .refine((text) => {
    const { username, password, search } = new URL(text);
    return `${username}${password}${search}` === '';
  }, 'must have neither a user nor a query')
  .optional();

/** What is deployed for Machines that name no image. The workers check it before they write it to a host. */
export const machineDefaults = {
  MACHINE_API_IMAGE_URL: openUrl.describe('image for Machines whose BareMetalProviderConfig names none'),
  MACHINE_API_IMAGE_CHECKSUM: optionalText(
    'its checksum, or the URL of a file that lists it; without it the image is not used',
  ),
  MACHINE_API_USER_DATA: optionalText('Secret with the user data of these Machines, in the namespace of the Machine'),
};

type Read<Settings extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Key in keyof Settings]?: z.infer<Settings[Key]> | undefined;
};

export function defaultDeployment({
  MACHINE_API_IMAGE_URL: url,
  MACHINE_API_IMAGE_CHECKSUM: checksum,
  MACHINE_API_USER_DATA: userData,
}: Read<typeof machineDefaults>): DefaultDeployment {
  return {
    ...(url !== undefined && checksum !== undefined && { image: { url, checksum } }),
    ...(userData !== undefined && { userData }),
  };
}

/** Settings of the bridge for the Machine API. */
export const machineApiSettings = {
  MACHINE_API: z
    .enum(['off', 'actuator', 'all'])
    .default('off')
    .describe(
      'Machines of the Machine API (`machine.openshift.io`, `cluster.k8s.io`): `all` does everything for them and for MachineSets; `actuator` leaves to OpenShift’s own controllers what they do; `off`: they are not watched. See [machine-api.md](machine-api.md)',
    ),
  ...machineDefaults,
};

export type MachineApiConfig = Read<typeof machineApiSettings> & {
  readonly MACHINE_API: z.infer<typeof machineApiSettings.MACHINE_API>;
};

/** Adds an issue when Machines would have no hosts: the workflow of a host gives it to a Machine. */
export function noMachinesWithoutHosts(
  { MACHINE_API, CONTROLLERS }: Pick<MachineApiConfig, 'MACHINE_API'> & WithControllers,
  context: z.RefinementCtx,
): void {
  if (MACHINE_API === 'off' || CONTROLLERS.includes('hosts')) return;
  context.addIssue({ code: 'custom', path: ['MACHINE_API'], message: 'needs hosts in CONTROLLERS' });
}
