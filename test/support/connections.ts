import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Runtime } from './server.ts';

/** Returns a request as bytes on a connection. */
export const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A connection that is not read until something listens to its `data` event, and whether it was closed. */
export function client({ server }: Runtime, localAddress = '127.0.0.1'): { socket: Socket; isClosed: () => boolean } {
  let isClosed = false;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.address).port), localAddress });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  return { socket, isClosed: () => isClosed };
}

/** Makes a text file so large that the system accepts only a part of it while nobody reads. */
export function writeLargeFile({ folder }: Runtime, megabytes: number, name = 'llms-full.txt'): number {
  writeFileSync(join(folder, 'dist', name), Buffer.alloc(megabytes * 1024 * 1024, 'x'));
  return megabytes * 1024 * 1024;
}
