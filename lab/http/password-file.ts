import { hash } from 'bcryptjs';

export interface IronicLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * A line of an htpasswd file. Uses the cheapest bcrypt: it is computed at every request and protects nothing of value.
 */
export const passwordLine = async ({ username, password }: IronicLogin): Promise<string> =>
  `${username}:${await hash(password, 4)}\n`;

export const basicAuth = ({ username, password }: IronicLogin): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
