import { expect, test } from 'vitest';
import { shortCauseIn } from './failure.ts';

const UUID = 'b50b8142-03f2-4d2e-ae87-c02d7f33c123';

test.each([
  [
    `Failed to get power state for node ${UUID}. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/${UUID} returned code 401. unknown error`,
    'HTTP GET https://10.0.0.7/… returned code 401. unknown error',
  ],
  [
    `Image provisioning failed (url: http://images/a.raw, checksum: x): Deploy step deploy.write_image failed on node ${UUID}. Download of image a.raw failed: Received status code 404`,
    'Download of image a.raw failed: Received status code 404',
  ],
  [
    `Failed to prepare node ${UUID} for cleaning: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/ returned code 500`,
    'HTTP GET https://10.0.0.7/ returned code 500',
  ],
  ['Validation of image href http://x failed, reason: Got HTTP code 404', 'Got HTTP code 404'],
  [
    'Validation of image href http://x failed, reason: 404 Client Error: Not Found for url: http://images/a.raw',
    '404 Client Error: Not Found for url: http://images/a.raw',
  ],
  ['Download failed: 401 Client Error: Unauthorized', 'Download failed: 401 Client Error: Unauthorized'],
  ['Error: no disk', 'no disk'],
  ['timeout reached while inspecting the node', 'timeout reached while inspecting the node'],
  ['Error: ', 'Error: '],
])('the cause comes first in a line: %s', (error, cause) => {
  expect(shortCauseIn(error)).toBe(cause);
});
