import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { basicAuth, type IronicLogin } from '../../http/password-file.ts';

const connections = new Agent({ connections: 4, keepAliveTimeout: 60_000 });

const systemAnswer = z.object({
  PowerState: z.string().nullish(),
  Boot: z.object({ BootSourceOverrideTarget: z.string().nullish() }).optional(),
});
const mediumAnswer = z.object({ Image: z.string().nullish(), Inserted: z.boolean().nullish() });

/** What a machine uses of its own BMC. */
export interface Bmc {
  power(uuid: string, change: 'ForceOff' | 'ForceRestart'): Promise<void>;
  state(uuid: string): Promise<{ isOn: boolean; bootsMedium: boolean }>;
  /** The bytes of the inserted medium, downloaded from its source. */
  medium(uuid: string): Promise<Buffer | undefined>;
}

export const createBmc = (redfishUrl: string, login: IronicLogin): Bmc => {
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    const url = `${redfishUrl}/redfish/v1/Systems/${path}`;
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: basicAuth(login), 'content-type': 'application/json' },
      dispatcher: connections,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`BMC answered ${response.status} to ${url}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    power: async (uuid, change) => {
      await call(`${uuid}/Actions/ComputerSystem.Reset`, { ResetType: change });
    },
    state: async (uuid) => {
      const system = systemAnswer.parse(await call(uuid));
      return { isOn: system.PowerState === 'On', bootsMedium: system.Boot?.BootSourceOverrideTarget === 'Cd' };
    },
    medium: async (uuid) => {
      const { Image: image, Inserted: inserted } = mediumAnswer.parse(await call(`${uuid}/VirtualMedia/Cd`));
      if (!image || !inserted) return undefined;
      const response = await fetch(image);
      return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
    },
  };
};
