import { hash } from 'bcryptjs';

/** A low cost, because Ironic verifies the password at every request. */
const BCRYPT_COST = 5;

/** The text of .env.example with generated values for all empty passwords. */
export async function fillIn(example: string, newPassword: () => string): Promise<string> {
  const ironicPassword = newPassword();
  const username = /^IRONIC_USERNAME=(.+)$/m.exec(example)?.[1] ?? 'temper';
  const values: Readonly<Record<string, string>> = {
    IRONIC_PASSWORD: ironicPassword,
    IRONIC_HTPASSWD: `'${username}:${await hash(ironicPassword, BCRYPT_COST)}'`,
    IRONIC_DATABASE_PASSWORD: newPassword(),
    POSTGRES_PASSWORD: newPassword(),
  };
  return example.replace(/^([A-Z_]+)=$/gm, (line, name: string) => `${line}${values[name] ?? ''}`);
}
