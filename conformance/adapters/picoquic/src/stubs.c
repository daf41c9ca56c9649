/* Functions that frames.c and timing.c of picoquic call, and that are in its other files. */
#include "picoquic_internal.h"

/* The epoch of the handshake only names the source of its RTT sample. */
picoquic_packet_context_enum picoquic_context_from_epoch(int epoch)
{
    return epoch == picoquic_epoch_handshake ? picoquic_packet_context_handshake : picoquic_packet_context_application;
}

/* Reports and tickets do not concern the controller. */
int picoquic_issue_path_quality_update(picoquic_cnx_t *cnx, picoquic_path_t *path) { return 0; }
void picoquic_refresh_path_quality_thresholds(picoquic_path_t *path) {}
void picoquic_seed_ticket(picoquic_cnx_t *cnx, picoquic_path_t *path) {}
