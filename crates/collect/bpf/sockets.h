/*
 * This file tells sockets of TCP and UDP apart by their peers. A server has thousands of connections with the same meaning:
 * connections to one database, or connections of clients to one port. So a socket's device and inode are numbers that stand
 * for its peer (`enum peer`), and all connections to a peer are one file.
 */
#ifndef WHITTLE_SOCKETS_H
#define WHITTLE_SOCKETS_H

#include "amounts.h"

/* The lowest port that Linux gives to a socket without a port of its own, if the range was not changed. */
#define FIRST_EPHEMERAL_PORT 32768
/* An inode for peers that the device alone tells apart. No file has the inode 0. */
#define ANY_INODE 1

/* The fields of a socket that name its peer. */
struct ends {
    u16 family;
    u16 protocol;
    u16 local_port;
    u16 remote_port;
    u8 is_listening;
    /* The connection exists, or is being made. */
    u8 is_connected;
    /* The remote address as an IPv6 address. Addresses of IPv4 are mapped: ::ffff:a.b.c.d. */
    u64 remote[2];
};

#define MAPPED_PREFIX 0xffff0000ULL

/* Reads the ends of a file's socket. Returns 0 if the file is not a socket of TCP or UDP. */
static __noinline u32 read_ends(struct file *file, struct ends *ends) {
    struct socket *socket = 0;
    struct sock *sk = 0;
    u8 state = 0;
    u32 address = 0;
    if (!file || !ends)
        return 0;
    bpf_probe_read_kernel(&socket, sizeof(socket), &file->private_data);
    bpf_probe_read_kernel(&sk, sizeof(sk), &socket->sk);
    if (!sk)
        return 0;
    bpf_probe_read_kernel(&ends->family, sizeof(ends->family), &sk->__sk_common.skc_family);
    bpf_probe_read_kernel(&ends->protocol, sizeof(ends->protocol), &sk->sk_protocol);
    if ((ends->family != AF_INET && ends->family != AF_INET6) ||
        (ends->protocol != IPPROTO_TCP && ends->protocol != IPPROTO_UDP))
        return 0;
    bpf_probe_read_kernel(&state, sizeof(state), &sk->__sk_common.skc_state);
    bpf_probe_read_kernel(&ends->local_port, sizeof(ends->local_port), &sk->__sk_common.skc_num);
    bpf_probe_read_kernel(&ends->remote_port, sizeof(ends->remote_port), &sk->__sk_common.skc_dport);
    ends->remote_port = __builtin_bswap16(ends->remote_port);
    ends->is_connected = state == TCP_ESTABLISHED || state == TCP_SYN_SENT;
    ends->is_listening = ends->protocol == IPPROTO_TCP && state == TCP_LISTEN;
    /* The field is missing in kernels without IPv6. */
    if (ends->family == AF_INET6 && bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
        bpf_probe_read_kernel(ends->remote, sizeof(ends->remote), &sk->__sk_common.skc_v6_daddr);
        return 1;
    }
    bpf_probe_read_kernel(&address, sizeof(address), &sk->__sk_common.skc_daddr);
    ends->remote[0] = 0;
    ends->remote[1] = (u64)address << 32 | MAPPED_PREFIX;
    return 1;
}

static __always_inline void note_listening(u16 port) {
    u32 index = port >> 6;
    u64 *ports = bpf_map_lookup_elem(&listening_ports, &index);
    if (ports && !(*ports >> (port & 63) & 1))
        __sync_fetch_and_or(ports, 1ULL << (port & 63));
}

/* A connection that a program made has this local port, so no socket listens on it any more. */
static __always_inline void forget_listening(u16 port) {
    u32 index = port >> 6;
    u64 *ports = bpf_map_lookup_elem(&listening_ports, &index);
    if (ports && *ports >> (port & 63) & 1)
        __sync_fetch_and_and(ports, ~(1ULL << (port & 63)));
}

/* Whether a program listens on this port of TCP. Then a connection with this local port comes from a client. */
static __always_inline u32 is_listened_on(u16 port) {
    u32 index = port >> 6;
    u64 *ports = bpf_map_lookup_elem(&listening_ports, &index);
    return ports ? *ports >> (port & 63) & 1 : 0;
}

/* Replaces the device and inode of a socket of TCP or UDP with the numbers of its peer. */
static __always_inline void tell_by_peer(struct open_file *found, u32 is_connecting) {
    struct ends ends = {};
    if (!read_ends(found->file, &ends))
        return;
    u32 is_udp = ends.protocol == IPPROTO_UDP;
    found->inode = ANY_INODE;
    found->device = PEER_MARK | (is_udp ? PEER_UDP : 0);
    if (is_connecting && ends.is_connected && !is_udp)
        forget_listening(ends.local_port);
    if (ends.is_listening) {
        note_listening(ends.local_port);
        found->device |= PEER_LISTENS | ends.local_port;
    } else if (!ends.remote_port || !ends.local_port) {
        /* A closed socket of TCP has lost its local port. */
        if (is_udp && ends.local_port && ends.local_port < FIRST_EPHEMERAL_PORT)
            found->device |= PEER_LISTENS | ends.local_port;
    } else if (!is_udp && is_listened_on(ends.local_port)) {
        found->device |= PEER_CLIENTS | ends.local_port;
    } else {
        found->device |= ends.remote_port;
        /* Different addresses of IPv4 have different numbers, because remote[0] is 0. */
        found->inode = (ends.remote[0] * GOLDEN_RATIO) ^ ends.remote[1];
        if (!found->inode)
            found->inode = ANY_INODE;
    }
}

#endif
