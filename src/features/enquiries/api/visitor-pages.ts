export const ENQUIRY_VISITOR_PAGES = { '/pets/$petId/enquire': ['profile', 'saved'] } as const;
