/** The people who may sign in to a remote studio: a file in the data folder with a name and the scrypt hash of a password each. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, PRIVATE_FOLDER, renameWithRetry } from '../lib/file-system.ts';
import * as Type from '../lib/json-schema.ts';
import { compile } from '../lib/validator.ts';

export const MIN_PASSWORD_LENGTH = 12;
/** In UTF-8. Longer ones only cost time. */
export const MAX_PASSWORD_BYTES = 1000;
export const MAX_NAME_LENGTH = 64;
/** scrypt's N: about 0.1 seconds and 32 MB for each attempt. */
const COST = 2 ** 15;
const BLOCK_SIZE = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_PEOPLE = 100;

const Person = Type.Closed({
  name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  cost: Type.Integer({ minimum: 2, maximum: 2 ** 20 }),
  salt: Type.String({ pattern: '^[\\w-]{22}$' }),
  hash: Type.String({ pattern: '^[\\w-]{43}$' }),
});
export type Person = Type.Static<typeof Person>;
const People = compile(Type.Array(Person, { maxItems: MAX_PEOPLE }));

/** However it is typed. */
export const normaliseName = (name: string): string => name.trim().normalize('NFC');

export const passwordsPath = (dataDir: string) => join(dataDir, 'studio-passwords.json');

/** None if there is no file. */
export function readPeople(dataDir: string): Person[] {
  const path = passwordsPath(dataDir);
  try {
    const people: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (People.Check(people)) return people as Person[];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code !== undefined) throw error;
  }
  throw new Error(`${path} is damaged; delete it, and set the passwords again`);
}

/** Returns a function that reads the file again only when it has changed. */
export function peopleReader(dataDir: string): () => Person[] {
  let known: { version: string; people: Person[] } | undefined;
  return () => {
    const found = statSync(passwordsPath(dataDir), { throwIfNoEntry: false });
    const version = found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    if (known?.version !== version) known = { version, people: readPeople(dataDir) };
    return known.people;
  };
}

/** Replaces the password of a person, or adds the person. */
export async function setPassword(
  dataDir: string,
  name: string,
  password: string,
  cost = COST,
): Promise<void> {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const hash = (await computeHash(password, { salt, cost })).toString('base64url');
  await changePeople(dataDir, (people) => {
    const others = people.filter((person) => person.name !== name);
    if (others.length >= MAX_PEOPLE) throw new Error(`at most ${MAX_PEOPLE} people can have a password`);
    return [...others, { name, cost, salt, hash }];
  });
}

/** Returns whether there was such a person. */
export async function removePerson(dataDir: string, name: string): Promise<boolean> {
  if (!readPeople(dataDir).some((person) => person.name === name)) return false;
  await changePeople(dataDir, (people) => people.filter((person) => person.name !== name));
  return true;
}

/** The new file excludes other commands until it replaces the old one: they would undo this change with what they read before. */
async function changePeople(dataDir: string, change: (people: Person[]) => Person[]): Promise<void> {
  makeFolder(dataDir, PRIVATE_FOLDER);
  const next = `${passwordsPath(dataDir)}.new`;
  const file = createFile(next);
  try {
    const people = change(readPeople(dataDir));
    writeFileSync(file, `${JSON.stringify(people, null, 2)}\n`, { flush: true });
    await renameWithRetry(next, passwordsPath(dataDir));
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`another command is changing the passwords; if none is running, delete ${path}`);
  }
}

/** The person with this name and password. A name that nobody has takes as long as a wrong password. */
export async function findPerson(
  people: Person[],
  name: string,
  password: string,
): Promise<Person | undefined> {
  const wantedName = normaliseName(name);
  const person = people.find((candidate) => candidate.name === wantedName);
  const { salt, cost, hash } = person ?? people[0] ?? { salt: '', cost: COST, hash: '' };
  const computed = await computeHash(password, { salt, cost });
  const wanted = Buffer.from(hash, 'base64url');
  const isSame = wanted.length === computed.length && timingSafeEqual(wanted, computed);
  return person && isSame ? person : undefined;
}

/** On another thread. Different ways to write a letter with accents are the same password. */
function computeHash(password: string, { salt, cost }: Pick<Person, 'salt' | 'cost'>): Promise<Buffer> {
  const maxmem = 256 * cost * BLOCK_SIZE;
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem };
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
