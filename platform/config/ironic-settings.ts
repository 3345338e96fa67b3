import { z } from 'zod';
import { booleanSetting, count, duration, optionalText, text } from './config-values.ts';

/** Settings for the connection to Ironic. */
export const ironicSettings = {
  IRONIC_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'Ironic’s API, for example https://ironic:6385/v1/; required for workers unless IRONIC_NAME is set, PROVISIONER ' +
        'is `fixture`, or CONTROLLERS are without `hosts`. A bridge without either does not notice changes made outside of Temper',
    ),
  IRONIC_NAME: optionalText(
    'an `ironic.metal3.io` object with address and credentials of Ironic, instead of IRONIC_ENDPOINT, IRONIC_CACERT_FILE and METAL3_AUTH_ROOT_DIR',
  ),
  IRONIC_NAMESPACE: optionalText('its namespace; default: as for the Lease'),
  IRONIC_CACERT_FILE: text('/opt/metal3/certs/ca/tls.crt', 'CA of Ironic’s certificate, if the file exists'),
  IRONIC_CLIENT_CERT_FILE: text('/opt/metal3/certs/client/tls.crt', 'client certificate, if the file exists'),
  IRONIC_CLIENT_PRIVATE_KEY_FILE: text('/opt/metal3/certs/client/tls.key', 'its key'),
  IRONIC_INSECURE: booleanSetting('do not verify Ironic’s certificate'),
  IRONIC_SKIP_CLIENT_SAN_VERIFY: booleanSetting('without effect: it is about server certificates'),
  IRONIC_CLIENT_TIMEOUT: duration('30s', (ms) => ms > 0, 'more than 0', 'timeout of a request to Ironic'),
  IRONIC_CLIENT_CACHE_TTL: duration(
    '5s',
    (ms) => ms >= 0,
    '0 or more',
    'how long the content of the Ironic object is cached; 0: it is read before each request. Without IRONIC_NAME nothing is cached but Ironic’s API version, until Ironic refuses it',
  ),
  IRONIC_CONCURRENT_CHANGES: count(
    3,
    'how many requests that change something a process sends to Ironic at the same time. With SQLite, Ironic’s default, more of them take longer together ([bench.md](bench.md)); with MariaDB, several conductors and hundreds of hosts at once, more may be faster',
  ),
  IRONIC_LONGEST_REQUEST: duration(
    '2m',
    (ms) => ms >= 10_000,
    '10s or more',
    'the longest time after which Ironic still begins with a request: after a lost answer, nothing is believed about the node before. It has to be longer than any timeout of Ironic’s API server and its conductors’ queue',
  ),
  IRONIC_LOCK_DEADLINE: duration(
    '30m',
    (ms) => ms > 0,
    'more than 0',
    'how long after a lost answer Ironic may hold the lock of a node before the host fails: the conductor that took it may be dead',
  ),
  METAL3_AUTH_ROOT_DIR: text(
    '/opt/metal3/auth',
    'folder with ironic/username and ironic/password; when missing, no authentication',
  ),
};
