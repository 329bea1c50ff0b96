package com.acme.shop;

import com.acme.shop.Views.Attributes;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.stereotype.Component;

/** Reads the attributes of a product from their JSON text. */
@Component
class AttributeReader {
    private final ObjectMapper mapper;

    AttributeReader(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    Attributes read(String text) {
        try {
            if (Faults.on("mapper-per-request")) {
                ObjectMapper own = new ObjectMapper(); // [edit mapper-per-request]
                return own.readValue(text, Attributes.class); // [call mapper-per-request]
            }
            return mapper.readValue(text, Attributes.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Attributes are not JSON: " + text, e);
        }
    }
}
