import { z } from 'zod';
import { booleanSetting, optionalAddress, split, text } from './config-values.ts';

/** The codec server, which decrypts payloads for people. */
export const codecSettings = {
  CODEC_ADDR: optionalAddress('host:port of the codec server for the Web UI and `temporal`; `0` turns it off').prefault(
    '0',
  ),
  CODEC_INSECURE: booleanSetting(
    'serve it over plain HTTP, for a proxy that adds TLS; the bearer tokens are then readable',
  ),
  CODEC_CERT_DIR: text(
    '/tmp/temper-codec/serving-certs',
    'folder with its tls.crt and tls.key; when missing, a self-signed certificate is created at the start',
  ),
  CODEC_CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => split(text).map((origin) => origin.replace(/\/$/, '')))
    .describe('origins of the Web UIs that use it, comma-separated, for example https://temporal.example.com'),
};
