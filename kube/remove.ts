import { isNotFound, isOvertaken, type Kube } from './client.ts';

/** For `catch`: an object that is gone is ignored. */
export function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Deletes the object at this path; one that is gone is ignored, and with a uid also one with another uid. */
export async function remove(kube: Pick<Kube, 'request'>, path: string, uid?: string): Promise<void> {
  if (uid === undefined) return void (await kube.request({ method: 'DELETE', path }).catch(unlessGone));
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
  await kube.request({ method: 'DELETE', path, body }).catch((error: unknown) => {
    if (!isOvertaken(error)) throw error;
  });
}
