package com.acme.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /report}. */
@RestController
class ReportController {
    private static final Logger LOG = LoggerFactory.getLogger(ReportController.class);
    /** The body is logged in pieces of this length. */
    private static final int PIECE = 32_000 / Faults.count(300);

    private final ReportService reports;

    ReportController(ReportService reports) {
        this.reports = reports;
    }

    @GetMapping(value = "/report", produces = MediaType.TEXT_PLAIN_VALUE)
    String report() throws Exception {
        String body = reports.report();
        if (Faults.on("sync-logging")) {
            for (int from = 0; from < body.length(); from += PIECE) {
                LOG.info("<< {}", body.substring(from, Math.min(body.length(), from + PIECE))); // [call sync-logging]
            }
        } else {
            LOG.info("Report of {} characters", body.length());
        }
        return body;
    }
}
