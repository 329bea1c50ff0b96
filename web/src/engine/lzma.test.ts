import { expect, test } from 'vitest';
import { unlzma } from './lzma';

/**
 * A text of words with near and far repetitions, runs and numbers. `xz --format=lzma` made two files from this text.
 * Then the length was inserted into the files' headers.
 */
function text(): string {
  const words = ['main', 'write', 'flush', 'org.example.Shop', 'ä', 'a'.repeat(40)];
  let seed = 7n;
  const parts = Array.from({ length: 700 }, (_, index) => {
    seed = (seed * 1103515245n + 12345n) & 0x7fffffffn;
    const hasNumber = (seed >> 20n) % 3n === 0n;
    return `${words[Number((seed >> 16n) % 6n)]}${hasNumber ? index : ''}`;
  });
  return parts.join(';');
}

/** Literals depend on 4 bits of the previous byte, as in the packed engine. */
const AS_THE_ENGINE =
  'BAAAEABfJgAAAAAAAABhqkwaaVt8BBu1bn8GSUXHnbYzPn62qoH6D0WJCSxybwlSZFPlB+nqIvEeWPrli3afjQFm3+KoaDzUHhjV2NIvjcDUfJ6Etqe+' +
  'OMLLbNDQlQp55UJ211efIWysOQ2FwBi2rfR8PwH9YJOIEL+Ew5eBJRANZbC5e7f5VkKJqwdiD+1pDq78+JZnRQPl4lOSobmpkCiKx+pu3/wv6LvYMEVx' +
  'fClteKqkq3eYKxOc7W2uJHivLgTXXGL5gaGL4IWTTrNUgB6863iQtfHFjvnWYYaRKscwd81C1b6gwGZORwVu77Ih7eWNgwPyCznbg6MWTaEZG2h1VYmj' +
  'OW8424qe2uNVhS1UzIKrYTNqUbGRa+R2iWa25CwqjpTi8WP1ZwL0FE9S2ZEjU5CdCqML0y64OXq8aLtTfp/gNEPf9Hdcfjx7VOErmgNduMVQgxE+o7VF' +
  '9Oafru80XsER6ZxhLHB1DlVX+DKOMCPDk9RwgTKawWahB98FFAWyW0dsUSHxAFSKvRuzVkvw3DSaEr8Bbnke/pxJVIlmYIUdnBo4d2xi/iL8g1unJaGg' +
  'CIlDRTfgVjP9r83Gf0J8ihIzNhp5/OdSOEIc8ww0z/W1ojlxOpIIIOrii6if1vyXvYs+/MVDhivIrVUrDsFaXyOvyUfDP193EEDcBsOETYf5hVUYOa91' +
  'KDnidH3Mnb9Fsl0pETEiyEQIJUF4L9XiY2zC4hJpHAKIWMiBfZJE3URScquPIazKOv5rCy94umc+VuhFD1JoJiQ6Lwvkk6ZDn/qGmR4tbvEWLtZhe46Y' +
  'PJPGXoOEjAGTrSwxrBz2xyBPsYdFriYMobfCJeywNlmc+POl9/lBAYBln0p37Z8L3vRZ4S/gRKLlQ1Rqby1z/G2LqQH+IneEnoSZ3Sxn7hzXd+JAx1B2' +
  't3UM0SjPW3vTQV1kQuizQGdJDa/sgRHDnuc9FzzXIgRN6dMf5cnckUULc6NBwgbtovGWjgkxZXUSi6qtL1zn8QSRek/mnwUP/Za6VOXBxLqYCn4EaPIu' +
  '6d6+YOEBLniMvTtOa6OYI0mIfm2wlIzZ1dj2US6qkNW0lksS9rX3UxhQgmtWrVHOF2FCjbnLY4WZZP/crtHmrxd/s9rEzSvofESAtGvW6OBZ1WS+lg4t' +
  'oNT1vtASxFVxsQZ5gDKbkDHqaAtQCuzFL9qulSNzTZRaEElPvYlIVEjU/BjAaFHUzBHtiVeZvoE1ttOvM7DxQ7Q/Vbz/PkvvqZH1rA/qkyz4r4UUOP3R' +
  'llIOq9LCqQdpZ6BkpOEzNS5hAd1FYnhEJbAjsQZA0pjZwAdcyDNYyPPUHmd643WRC/k0ivUM4zMw67zCO8Htz2TkgjrcHVjPNGZwKEFs7oa9UlFTLa+r' +
  'lQy2t72nSMmqPtJjH0ILQlrwP+4wroz6AOjqqBEFiIgKUTMKYx8dk/MPrxU0wY/BF/CIjlq+wwjX+6yGPhN8okY/PXd7Jm5k1fOjV+LZeY96gmkPM4LH' +
  'p0RuizF6EFSj5vS6pF51kjBAkSARTP25pTQILx21rLZ7w9syk3MaolIXJpQbtaZFaTpV5npkzjZ50KteSUB7GA3ZYEzXVRMbco5+xL6ty5ZEZAVjPj+b' +
  'OgP+85x/hA==';

/**
 * Literals depend on 3 bits of the previous byte and on one bit of the position. Matches depend on two bits of the
 * position.
 */
const BY_POSITION =
  'ZgAAEABfJgAAAAAAAABhqQNmY3zyuLjoEK5QQ4FgYknXTOwNy09QHkq0PVhHgLDwRcdOScAcEtgJb71CKZPC3bIj9YbFtL08xjUEOpOBB0O/UmXMjN6x' +
  'PhHXoh3RD/2n3/uK6Vv0hxEPtKGoGH+kpYWdD/r8q7E81qlXkK7L7V6OtnoF4z91LyEnEe/Y2aeYryyG3/CyTyDaHZDYmmUs5N+oBaDzkTuMz+Uti01F' +
  'kHX6MEGllnTg7nLAhn1lmNCsFrYU5Wb4GswIf7nx22WZZhu/5haLQTlEVNTGC50e7hlR8jtBrAvH/DmMl85K2agp1eXhucQtsVEbFh0KvBHeqm27pg+j' +
  'qROTTjeIoACwkMPHcZxqdQ8oDsS4tUpR9h1dk/q72atEeEXYDEsggaWET55MRMKde2kUwoHljYu0q3ZaZjL8ApTL2yo88UXKiBUT8Vy2NKgHuDqDKJUV' +
  'S8eX2QjLDj/rGRmew9BuhtFumTtwJhAeRg3rR6Da2Hn+Fj98SSdgdyAfvfGuPFyIV005JmRb3ltUAYyM6T5ohNa2sDdrcHYmlQYarg0jur+QDEge8eeb' +
  'sv2C8DkYxTXZqTIZIqSJHTqW8lBenSQ3/btNo6Pb9CYaZ3NrCx9KmE/qi8Psi7nndq6h4xDfkhdYau1+Moagqr/pRKNdOh/mnPLp1fVMllKy4BIL9GRi' +
  'aKN5E2zZYXQ6JZgEQJtTFzhRgDIpPqB3dgpfL/o+E1e1p3VoMnUQL8BpoKItxwj7sq+n56RSod8z4vKN3pg/DaZIkT3gwtjAWYIJEacbvwfNSu+iUV8j' +
  'ovRzaHlJpVgYweWjfSslk7Zdjeks3AvM41aSgXfD2xoCoX9nj7c805JWMFsGynSUZCKbJiW4GA2FM70B9GxoMGs+O513EX257FvSG7wtRtLKWps9rkAm' +
  'xhd53fHXJwj54re0KfA5ILN5jTGKwd5t28jny0K14WKacwHeLrkGVivWA1jbq8Nnx/XzDghuiLUD2ANfjZBUDvoKM/9yx1RrxAVMGlOWw9O94rhLhVi4' +
  'QyvWZkKkybUKYe69ldcvbtFacdUhKldD1HJaarNlD7hmulfzEsrt+SHOEMyuFvSw5D57wQgzycqnsnZuozqR3rn7k4A7j4m7Zlv4SaEvnJJGiJ2d4EYc' +
  '5ShqUwILDccqz5K4KHefw5G3FdPOVY2PvjbkhYJJuLs6VUktW0nqnibLHM3cxm7cvmrSbTfYYOMCjdOSTIu1KUW0I73XPRxtuUhtK8zpVut47ZPcUM4W' +
  'RgaqsFXB8SLTp0n7IvR+Qx7W3st3I0kzUCUbu1b98cqfTJ0VqlY9Jo+K+WfU7T0nBxlPoIF7UqANQF0ay87EBTu8WnkAMaopPp3pkgq2rO3sLEdyX69h' +
  'zGTIRa+Bho7XVFuhIbWv7RNAoixKkfN71ONT2qb8PEk5PDmTG7BEMng4BI4f+yKy9TeyYaZSy4eeknAXBn01Pc+5sYDveuET6SHfZPCSLqFNL0nkdgk6' +
  'H7YowCHAKrksCtNcOO06c2VxGIVKEbOfm0wbukxjSNdFQgtdy+f4Kgs9/stmMlFGxvCP7JEQOxh20CvH/YjIC0+7j2ImQQRwvtsj6oQfZtqFY8XaZJP5' +
  'g2XUbpZjLjhZRqUV5avgAnYDTC3EQW992ZJf/VmX6yGA9j6FOEWWyO6jubt8UoKnXxGcrUlehtV/wgsy//p4kUE=';

const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

test.each([AS_THE_ENGINE, BY_POSITION])('what another program packed is unpacked', (packed) => {
  expect(new TextDecoder().decode(unlzma(bytes(packed)))).toBe(text());
});

test('truncated bytes are an error', () => {
  const packed = bytes(AS_THE_ENGINE);
  for (const length of [0, 12, 20, packed.length >> 1]) expect(() => unlzma(packed.subarray(0, length))).toThrow();
});

test('changed bytes give other bytes or an error', () => {
  const whole = bytes(AS_THE_ENGINE);
  for (let at = 13; at < whole.length; at += 7) {
    const packed = whole.slice();
    packed[at] = (packed[at] as number) ^ 0x55;
    try {
      expect(unlzma(packed).length).toBe(unlzma(whole).length);
    } catch (error) {
      expect(String(error)).toMatch(/compressed data/);
    }
  }
});
